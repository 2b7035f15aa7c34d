using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Stores an owner's note of a change of a key that is about to be made, and returns the value that commits to it. The caller then
    /// sends that value under the same request id. The note is durable before this returns, and has the key's next number. For a request id
    /// whose note is kept already it returns the same value; another payload or text then throws <see cref="InvalidOperationException"/>.
    /// </summary>
    /// <param name="key">Key, or id of a device.</param>
    /// <param name="payload">The part of the value that others use.</param>
    /// <param name="text">The owner's words, at most <see cref="OwnerNote.MaxTextLength"/> octets. Nobody else can tell an empty text from
    /// a note.</param>
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
    /// Returns the note to which a version of a key commits; null if the version has no note, or it is not kept here. This is no verdict
    /// about the log.
    /// </summary>
    public OwnerNote? NoteOf(ReadOnlyMemory<byte> key, KeyVersion version)
    {
        ArgumentNullException.ThrowIfNull(version);
        return NoteRules.Find(_store.Current, KeyName.OfVerified(key), version);
    }
}
