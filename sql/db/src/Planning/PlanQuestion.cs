namespace Optiks.Db.Planning;

/// <summary>What a service is to carry.</summary>
/// <param name="Keys">Keys with a version at the same time: of devices and keys together.</param>
/// <param name="UpdatesPerSecond">Updates a second, on average.</param>
/// <param name="LookupsPerSecond">Lookups a second at the busiest time.</param>
/// <param name="Periods">Periods that are served, the current one included.</param>
/// <param name="PeriodDays">Days that a period lasts.</param>
/// <param name="ValueOctets">Octets of a value, on average.</param>
/// <param name="EpochSeconds">Seconds between epochs.</param>
/// <param name="HostMemory">Octets of memory of the largest host.</param>
internal sealed record PlanQuestion(
    double Keys, double UpdatesPerSecond, double LookupsPerSecond, int Periods, double PeriodDays, double ValueOctets, double EpochSeconds, double HostMemory);
