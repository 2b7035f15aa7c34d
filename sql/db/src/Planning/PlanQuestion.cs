namespace Optiks.Db.Planning;

/// <summary>The load that a service must carry.</summary>
/// <param name="Keys">The number of keys that exist at the same time, in the structures <c>devices</c> and <c>keys</c> together.</param>
/// <param name="UpdatesPerSecond">The average number of updates per second.</param>
/// <param name="LookupsPerSecond">The number of lookups per second at the busiest time.</param>
/// <param name="Periods">The number of served periods, including the current period.</param>
/// <param name="PeriodDays">The length of a period in days.</param>
/// <param name="ValueOctets">The average number of bytes in a value.</param>
/// <param name="EpochSeconds">The number of seconds between epochs.</param>
/// <param name="HostMemory">The memory of the largest host, in bytes.</param>
internal sealed record PlanQuestion(
    double Keys, double UpdatesPerSecond, double LookupsPerSecond, int Periods, double PeriodDays, double ValueOctets, double EpochSeconds,
    double HostMemory);
