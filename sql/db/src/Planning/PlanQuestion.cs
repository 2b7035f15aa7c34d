namespace Optiks.Db.Planning;

/// <summary>The load that a service must carry.</summary>
/// <param name="Keys">Keys that have a version at the same time, of devices and keys together.</param>
/// <param name="UpdatesPerSecond">The average number of updates per second.</param>
/// <param name="LookupsPerSecond">Lookups per second at the busiest time.</param>
/// <param name="Periods">Periods that are served, including the current one.</param>
/// <param name="PeriodDays">The length of a period in days.</param>
/// <param name="ValueOctets">The average number of bytes in a value.</param>
/// <param name="EpochSeconds">Seconds between epochs.</param>
/// <param name="HostMemory">Bytes of memory of the largest host.</param>
internal sealed record PlanQuestion(
    double Keys, double UpdatesPerSecond, double LookupsPerSecond, int Periods, double PeriodDays, double ValueOctets, double EpochSeconds, double HostMemory);
