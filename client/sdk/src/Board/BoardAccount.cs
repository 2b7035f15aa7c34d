using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Reports what the check of a whole board found.</summary>
/// <param name="Reason"><c>Valid</c> if the whole board is valid; otherwise the rule that the first invalid entry of the board
/// breaks.</param>
/// <param name="Epoch">The last epoch of the checkpoint if the board is valid; otherwise the index of the entry that breaks the
/// rule.</param>
/// <param name="Periods">The number of periods that have begun.</param>
/// <param name="Time">The time in the last record before an entry that breaks a rule, or in the last record of a valid board.</param>
public sealed record BoardAccount(Reason Reason, ulong Epoch, ulong Periods, DateTimeOffset Time);
