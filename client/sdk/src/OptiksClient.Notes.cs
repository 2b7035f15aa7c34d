using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Stores an owner's note of a change that the owner is about to make to a key, and returns the value that commits to the note. The
    /// caller then sends that value under the same request id. The note is durable before the call returns, and gets the key's next number.
    /// If an earlier call already stored a note for the request id, the call returns the value that the earlier call returned. If the
    /// payload or text differs from that of the earlier call, the call throws <see cref="InvalidOperationException"/>.
    /// </summary>
    /// <param name="key">The key. For a device's key, this is the id of the device.</param>
    /// <param name="payload">The part of the value that other users of the key read.</param>
    /// <param name="text">
    /// The owner's words, at most <see cref="OwnerNote.MaxTextLength"/> octets. Other people cannot tell from the value whether the text is
    /// empty.
    /// </param>
    /// <param name="requestId">Id of the request that changes the key, used once (<see cref="NewRequestId"/>).</param>
    public byte[] KeepNote(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> payload, ReadOnlyMemory<byte> text, Guid requestId)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        RequestIdOf(requestId);
        RequireValueLength(payload.Length + NotedValue.Overhead);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(text.Length, OwnerNote.MaxTextLength, nameof(text));
        byte[] value = [];
        _store.TryUpdate(
            current =>
            {
                (ClientState next, value) = NoteRules.Keep(current, name, requestId, payload, text);
                return next;
            },
            []);
        return value;
    }

    /// <summary>
    /// Returns the note to which a version of a key commits; null if the version has no note, or this client does not keep the note. The
    /// result says nothing about whether the log is correct.
    /// </summary>
    public OwnerNote? NoteOf(ReadOnlyMemory<byte> key, KeyVersion version)
    {
        ArgumentNullException.ThrowIfNull(version);
        return NoteRules.Find(_store.Current, KeyName.OfVerified(key), version);
    }
}
