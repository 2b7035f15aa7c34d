using System.Text;
using System.Text.Json;

namespace Optiks.Tlog.Tests;

/// <summary>Tests the 92 notes of notes.json. If Go programs and the text of the specification differ, the test expects what the
/// specification says.</summary>
public sealed class NoteVectorTests
{
    private static readonly BigIntegerEd25519 Ed25519 = new();
    private static readonly VerifierSet Known = new(Ed25519, [Vectors.LogKey, .. Vectors.Witnesses]);
    private static readonly CheckpointVerifier Verifier = new(Vectors.LogKey, Vectors.Witnesses, Ed25519, acceptExtensionLines: true);

    // The expected results for notes that the specification allows to accept or refuse. This library accepts only one spelling of a note,
    // and has the same limits as golang.org/x/mod.
    private static readonly Dictionary<string, (bool Note, bool Checkpoint)> Unspecified = new()
    {
        ["hundred-unknown-then-log"] = (false, false),
        ["size-max-uint64"] = (true, true),
        ["noncanonical-base64-signature"] = (false, false),
        ["noncanonical-base64-root"] = (true, false),
        ["plus-in-key-name"] = (false, false),
        ["nbsp-in-key-name"] = (false, false),
        ["four-byte-signature-blob"] = (false, false),
    };

    // The expected results for notes that C2SP accepts but docs/spec/board.md section 2 refuses: whether the parser accepts the note, and
    // whether it accepts the checkpoint.
    private static readonly Dictionary<string, (bool Note, bool Checkpoint)> Narrower = new()
    {
        ["duplicate-identical-signature"] = (false, false),
        ["size-zero"] = (true, false),
    };

    // The expected reasons for some notes. If one of these notes were refused for another reason, a check could be missing without notice.
    private static readonly Dictionary<string, TlogError> Reasons = new()
    {
        ["hundred-unknown-then-log"] = TlogError.TooManySignatures,
        ["generic-note-not-a-checkpoint"] = TlogError.TooFewLines,
        ["text-with-blank-line"] = TlogError.EmptyExtensionLine,
        ["good-then-bad-same-key"] = TlogError.BadSignature,
        ["duplicate-identical-signature"] = TlogError.RepeatedSignature,
        ["size-zero"] = TlogError.EmptyTree,
        ["missing-final-newline"] = TlogError.MissingFinalNewline,
        ["no-blank-line"] = TlogError.MissingBlankLine,
        ["crlf-everywhere"] = TlogError.ControlCharacter,
        ["nul-in-text"] = TlogError.ControlCharacter,
        ["invalid-utf8"] = TlogError.NotUtf8,
        ["hyphen-instead-of-em-dash"] = TlogError.MalformedSignatureLine,
        ["two-spaces-after-em-dash"] = TlogError.BadKeyName,
        ["base64-without-padding"] = TlogError.BadBase64,
        ["four-byte-signature-blob"] = TlogError.SignatureTooShort,
        ["wrong-key-id"] = TlogError.NoKnownSignature,
        ["wrong-name"] = TlogError.NoKnownSignature,
        ["truncated-signature"] = TlogError.BadSignature,
        ["long-signature"] = TlogError.BadSignature,
        ["only-witness-cosignature"] = TlogError.NoLogSignature,
        ["log-good-witness-bad"] = TlogError.BadSignature,
        ["size-leading-zero"] = TlogError.BadSize,
        ["size-over-uint64"] = TlogError.BadSize,
        ["root-31-bytes"] = TlogError.BadRoot,
        ["root-33-bytes"] = TlogError.BadRoot,
        ["size-zero-wrong-root"] = TlogError.BadEmptyRoot,
        ["empty-origin"] = TlogError.EmptyOrigin,
        ["other-origin"] = TlogError.OriginMismatch,
    };

    public static TheoryData<string> Ids => [.. All().Select(vector => vector.Text("id"))];

    [Fact]
    public void All_vectors_are_there()
    {
        Assert.Equal(92, All().Select(vector => vector.Text("id")).Distinct().Count());
        Assert.Equal(
            [("bad-checkpoint", 26), ("bad-signature", 13), ("edge", 9), ("malformed-note", 32), ("valid", 12)],
            All().GroupBy(vector => vector.Text("group")).Select(group => (group.Key, group.Count())).Order());
        Assert.Equal(43, All().Count(vector => IsAccepted(vector, "note")));
        Assert.Equal(12, All().Count(vector => IsAccepted(vector, "checkpoint")));
        Assert.All(Unspecified.Keys.Concat(Narrower.Keys).Concat(Reasons.Keys),
            id => Assert.Contains(id, All().Select(vector => vector.Text("id"))));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Note_is_judged_as_the_text_says(string id)
    {
        JsonElement vector = Find(id);
        byte[] bytes = vector.GetProperty("note_base64").GetBytesFromBase64();

        bool accepted = SignedNote.TryParse(bytes, out SignedNote? note, out TlogError error);
        if (accepted)
        {
            Assert.Equal(bytes, note!.Encode());
            error = Known.Verify(note, out IReadOnlyList<VerifiedSignature> verified);
            accepted = error == TlogError.None;
            Assert.Equal(accepted, verified.Count > 0);
        }

        Assert.Equal(IsAccepted(vector, "note"), accepted);
        Assert.Equal(accepted, error == TlogError.None);
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Checkpoint_is_judged_as_the_text_says(string id)
    {
        JsonElement vector = Find(id);
        byte[] bytes = vector.GetProperty("note_base64").GetBytesFromBase64();

        bool accepted = Verifier.TryOpen(bytes, out SignedCheckpoint? opened, out TlogError error);

        Assert.Equal(IsAccepted(vector, "checkpoint"), accepted);
        if (Reasons.TryGetValue(id, out TlogError reason))
        {
            Assert.Equal(reason, error);
        }
        if (accepted)
        {
            JsonElement parsed = vector.GetProperty("parse_checkpoint");
            Assert.Equal(TlogError.None, error);
            Assert.Equal(parsed.Text("origin"), opened!.Checkpoint.Origin);
            Assert.Equal(parsed.Text("size"), opened.Checkpoint.Size.ToString(null, null));
            Assert.Equal(Vectors.Hash(parsed.Text("root_hex")), opened.Checkpoint.Root);
            Assert.Equal(parsed.Text("other_data"), string.Concat(opened.Checkpoint.ExtensionLines.Select(line => line + "\n")));
            Assert.Equal(opened.Note.Text.ToArray(), opened.Checkpoint.Encode());
            Assert.Equal(
                parsed.GetProperty("verified_names").EnumerateArray().Select(name => name.GetString()!).Order(),
                opened.Cosignatures.Select(cosignature => cosignature.Key.Name).Append(opened.Checkpoint.Origin).Order());
        }
        else
        {
            Assert.Null(opened);
            Assert.NotEqual(TlogError.None, error);
        }
    }

    [Fact]
    public void Notes_with_their_own_keys_verify()
    {
        JsonElement[] vectors = [.. Vectors.Notes.GetProperty("vectors_with_own_keys").EnumerateArray()];
        Assert.Equal(2, vectors.Length);
        foreach (JsonElement vector in vectors)
        {
            VerifierKey[] keys = [.. vector.GetProperty("vkeys").EnumerateArray().Select(vkey => Vectors.Key(vkey.GetString()!))];
            Assert.True(SignedNote.TryParse(vector.GetProperty("note_base64").GetBytesFromBase64(), out SignedNote? note, out _));
            Assert.Equal(TlogError.None, new VerifierSet(Ed25519, keys).Verify(note, out IReadOnlyList<VerifiedSignature> verified));
            Assert.Equal(keys, verified.Select(signature => signature.Key));
            Assert.Equal(vector.GetProperty("note_open").Text("text"), Encoding.UTF8.GetString(note.Text.Span));
        }
    }

    private static JsonElement[] All() => [.. Vectors.Notes.GetProperty("vectors").EnumerateArray()];

    private static JsonElement Find(string id) => All().Single(vector => vector.Text("id") == id);

    private static bool IsAccepted(JsonElement vector, string kind)
    {
        if (Narrower.TryGetValue(vector.Text("id"), out (bool Note, bool Checkpoint) narrower))
        {
            return kind == "note" ? narrower.Note : narrower.Checkpoint;
        }
        string expectation = vector.GetProperty("spec_expectation").Text(kind);
        return expectation switch
        {
            "accept" => true,
            "reject" or "reject (SHOULD)" => false,
            "unspecified" => kind == "note" ? Unspecified[vector.Text("id")].Note : Unspecified[vector.Text("id")].Checkpoint,
            _ => throw new InvalidDataException(expectation),
        };
    }
}
