using Optiks.Protocol;

namespace Optiks.Cli.Inspecting;

/// <summary>Judgement is the verdict on a saved answer.</summary>
internal sealed record Judgement
{
    public required string Kind { get; init; }

    public required Reason Reason { get; init; }

    /// <summary>Epoch that it speaks of; null when that is not known, as of what is refused.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Time of that epoch's record.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>Whether its age was compared with the clock.</summary>
    public bool IsFreshChecked { get; init; }

    /// <summary>The keys of an answer that is valid.</summary>
    public IReadOnlyList<JudgedKey> Keys { get; init; } = [];

    public string Checked { get; init; } = "";

    /// <summary>What a file by itself cannot show.</summary>
    public string NotChecked { get; init; } = "";
}
