using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Stores an owner's notes of its changes, and finds them again (docs/spec/state.md section 3).</summary>
internal static class NoteRules
{
    /// <summary>
    /// Adds a note of a key to the state, and returns the state and the value that commits to the note. If an earlier call already stored
    /// the note of this request, the value is the one that the earlier call returned. Another value would be a different update under the
    /// same request id.
    /// </summary>
    public static (ClientState State, byte[] Value) Keep(
        ClientState current, KeyName key, Guid requestId, ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> text)
    {
        ImmutableArray<KeptNote> notes = Of(current, key);
        if (notes.FirstOrDefault(kept => kept.RequestId == requestId) is { } known)
        {
            byte[] again = NotedValue.Encode(payload.Span, known.Opening, known.Note);
            return Read(known).Text.Span.SequenceEqual(text.Span) && ValueHash.Of(again) == known.ValueSha256
                ? (current, again)
                : throw new InvalidOperationException($"Request {requestId} was made with another value or note.");
        }
        byte[] opening = NotedValue.NewOpening();
        byte[] note = new OwnerNote(notes is [.., { } last] ? Read(last).Sequence + 1 : 1, text).Encode();
        byte[] value = NotedValue.Encode(payload.Span, opening, note);
        return (current with
        {
            Notes = current.Notes.SetItem(
            key.Id, notes.Add(new KeptNote(requestId, opening, note, ValueHash.Of(value))))
        }, value);
    }

    /// <summary>Returns the note to which a version of a key commits; null if no kept note matches the version's value.</summary>
    public static OwnerNote? Find(ClientState current, KeyName key, KeyVersion version)
    {
        string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
        return Of(current, key).FirstOrDefault(kept => kept.ValueSha256 == hash && version.IsNote(kept.Opening, kept.Note)) is { } found
            ? Read(found)
            : null;
    }

    /// <summary>Describes what is wrong with the notes of a key in a state; null if they have no fault.</summary>
    public static string? Fault(ImmutableArray<KeptNote> notes)
    {
        ulong before = 0;
        foreach (KeptNote kept in notes)
        {
            if (kept.Opening.Length != Lengths.Opening || !OwnerNote.TryDecode(kept.Note, out OwnerNote note) || note.Sequence <= before)
            {
                return "notes of a key are not owner's notes with openings, in the order of their numbers";
            }
            before = note.Sequence;
        }
        return null;
    }

    private static ImmutableArray<KeptNote> Of(ClientState current, KeyName key) =>
        current.Notes.TryGetValue(key.Id, out ImmutableArray<KeptNote> notes) ? notes : [];

    // This call cannot fail in practice, because the note was checked when the state was read.
    private static OwnerNote Read(KeptNote kept) => OwnerNote.TryDecode(kept.Note, out OwnerNote note)
        ? note
        : throw new ClientStateException("The client state has a note that cannot be decoded.");
}
