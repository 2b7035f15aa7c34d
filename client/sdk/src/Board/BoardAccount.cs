using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>BoardAccount is what a whole board was found to be.</summary>
/// <param name="Reason">Valid, or the first rule of records that an entry breaks.</param>
/// <param name="Epoch">The last epoch, or the entry that breaks the rule.</param>
/// <param name="Periods">How many periods have begun.</param>
/// <param name="Time">Time of the last record that is good.</param>
public sealed record BoardAccount(Reason Reason, ulong Epoch, ulong Periods, DateTimeOffset Time);
