using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reports what the check of a whole board found.</summary>
/// <param name="Reason">Valid, or the first rule of records that an entry of the board breaks.</param>
/// <param name="Epoch">The last epoch of the checkpoint, or the index of the entry that breaks the rule.</param>
/// <param name="Periods">The number of periods that have begun.</param>
/// <param name="Time">Time of the last record that breaks no rule.</param>
public sealed record BoardAccount(Reason Reason, ulong Epoch, ulong Periods, DateTimeOffset Time);
