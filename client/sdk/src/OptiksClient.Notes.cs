using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// KeepNote keeps an owner's note of a change of a key that is about to be made, and returns the value that commits to it: send that under the same request id. The note is durable before this returns. It has
    /// the next number of the key. For a request id whose note is kept already the value is the same again; with another payload or text that is an <see cref="InvalidOperationException"/>.
    /// </summary>
    /// <param name="key">Key, or id of a device.</param>
    /// <param name="payload">What others use.</param>
    /// <param name="text">The owner's words, at most <see cref="OwnerNote.MaxTextLength"/> octets. Empty: nobody else can tell that from a note.</param>
    /// <param name="requestId">Id of the request that changes the key, once (<see cref="NewRequestId"/>).</param>
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

    /// <summary>NoteOf gives the note that a version of a key commits to, if it is kept here; null: it is not, or there is none. No verdict about the log.</summary>
    public OwnerNote? NoteOf(ReadOnlyMemory<byte> key, KeyVersion version)
    {
        ArgumentNullException.ThrowIfNull(version);
        return NoteRules.Find(_store.Current, KeyName.OfVerified(key), version);
    }
}
