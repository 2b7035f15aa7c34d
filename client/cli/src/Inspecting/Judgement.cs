using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>The verdict on a saved answer.</summary>
internal sealed record Judgement
{
    public required string Kind { get; init; }

    public required Reason Reason { get; init; }

    /// <summary>The epoch of the answer; null when it is not known, as in a refused answer.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The time of the record of the epoch that the property <see cref="Epoch"/> names.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>Whether the answer's age was compared with the clock.</summary>
    public bool IsFreshChecked { get; init; }

    /// <summary>The facts about each key in a valid answer; empty if the answer is not valid.</summary>
    public IReadOnlyList<JudgedKey> Keys { get; init; } = [];

    public string Checked { get; init; } = "";

    /// <summary>Says, for people, what nobody can check with only the file.</summary>
    public string NotChecked { get; init; } = "";
}
