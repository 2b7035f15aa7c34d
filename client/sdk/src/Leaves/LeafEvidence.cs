using System.Globalization;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Collects two leaf statements that cannot both be true in a tree that only grows (docs/spec/broken-append.md section 5), and says what
/// they prove.
/// </summary>
internal static class LeafEvidence
{
    /// <summary>The name of the file with the kept statement.</summary>
    public const string KeptName = "kept-leaf.bin";

    /// <summary>The name of the file with the received statement, which contradicts the kept statement.</summary>
    public const string ReceivedName = "received-leaf.bin";

    /// <summary>
    /// Returns the files of a folder of evidence that proves a contradiction. The caller must have judged the statements already.
    /// </summary>
    public static Dictionary<string, ReadOnlyMemory<byte>> Collect(TrustAnchor anchor, byte[] kept, byte[] received, string source) => new()
    {
        ["trust.json"] = anchor.ToJson(),
        [KeptName] = kept,
        [ReceivedName] = received,
        ["README.txt"] = Encoding.UTF8.GetBytes(
            Explain(anchor, Sentence(LeafStatement.Decode(kept), LeafStatement.Decode(received)), source)),
    };

    /// <summary>Describes what two statements prove, for people.</summary>
    public static string Sentence(LeafStatement one, LeafStatement other)
    {
        (LeafStatement first, LeafStatement then) = one.Epoch <= other.Epoch ? (one, other) : (other, one);
        string what = string.Create(CultureInfo.InvariantCulture, $"{Name(first)} of {DisplayText.Show(first.Key.Span)}");
        return FormattableString.Invariant((first.Member, then.Member) switch
        {
            ({ } was, { } now) when was.Epoch != now.Epoch =>
                $"The log signed at epoch {first.Epoch} that {what} was published in epoch {was.Epoch}, and at epoch {then.Epoch} that it was in epoch {now.Epoch}: it rewrote what it had published.",
            ({ }, { }) =>
                $"The log signed at epoch {first.Epoch} that {what} has one value, and at epoch {then.Epoch} that it has another: it rewrote what it had published.",
            ({ }, null) =>
                $"The log signed at epoch {first.Epoch} that {what} exists, and at epoch {then.Epoch} that it does not exist: it dropped what it had published.",
            (null, { } now) =>
                $"The log signed at epoch {first.Epoch} that there is no {what}, and at epoch {then.Epoch} that it was published in epoch {now.Epoch} already: it inserted it and dated it back.",
            _ => (FormattableString)$"The log signed twice that there is no {what}.",
        });
    }

    private static string Name(LeafStatement statement) => statement.Structure switch
    {
        StructureId.Keys => $"version {statement.Version} of the key",
        StructureId.Devices => $"version {statement.Version} of the device list",
        StructureId.Usernames => "the user",
        _ => "the leaving",
    };

    private static string Explain(TrustAnchor anchor, string sentence, string source) =>
        $"""
        {sentence}
        The log is {anchor.Configuration.Origin}. This client had verified the first of two statements before; {source} gave the second.

        trust.json          the log's key and configuration
        kept-leaf.bin       the statement that this client had verified
        received-leaf.bin   the statement that contradicts it

        Each statement has a record in a tree that the log signed, and the proof that the leaf is, or is not, in the tree
        of that record. Trees only grow: a leaf that was published stays, as it is.
        Anyone can check it (docs/spec/broken-append.md section 2). No server can make these files without the log's key.
        Publish them, and ask the operator and the auditors.

        """;
}
