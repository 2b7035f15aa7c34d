using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Optiks.Tlog;

/// <summary>
/// Makes and verifies cosignatures of C2SP tlog-cosignature v1 with Ed25519. A cosignature states that at its time the checkpoint was of
/// the largest consistent tree of this origin that the cosigner had seen. The signed message contains the whole checkpoint body.
/// </summary>
public static class Cosignature
{
    /// <summary>The length in bytes of a cosignature without its key ID. It consists of the timestamp and the Ed25519 signature.</summary>
    public const int Length = TimestampLength + Ed25519Length;

    /// <summary>The largest timestamp that the specification allows, in seconds: 2^63 - 1.</summary>
    public const ulong MaxTimestamp = long.MaxValue;

    internal const int Ed25519Length = 64;

    private const int TimestampLength = sizeof(ulong);

    /// <summary>Returns the message that the cosigner signs. Throws if the timestamp is 2^63 or more.</summary>
    /// <param name="timestamp">The time of the cosignature, in seconds since 1970 in UTC.</param>
    /// <param name="checkpointBody">The note's text with its last newline.</param>
    public static byte[] BuildMessage(ulong timestamp, ReadOnlySpan<byte> checkpointBody)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(timestamp, MaxTimestamp);
        string head = string.Create(CultureInfo.InvariantCulture, $"cosignature/v1\ntime {timestamp}\n");
        return [.. Encoding.ASCII.GetBytes(head), .. checkpointBody];
    }

    /// <summary>
    /// Cosigns a checkpoint body. Before the call, the caller must have verified the checkpoint and stored durably that it cosigns this
    /// checkpoint.
    /// </summary>
    public static async ValueTask<NoteSignature> SignAsync(
        ReadOnlyMemory<byte> checkpointBody, ulong timestamp, INoteSigner signer, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(signer);
        if (signer.Key.Type != SignatureType.CosignatureV1)
        {
            throw new ArgumentException("A log's key cannot make cosignatures.", nameof(signer));
        }
        if (!Checkpoint.TryParse(checkpointBody.Span, out _, out TlogError error))
        {
            throw new ArgumentException($"Not a checkpoint: {error}.", nameof(checkpointBody));
        }
        byte[] signature = await signer.SignAsync(BuildMessage(timestamp, checkpointBody.Span), cancellationToken).ConfigureAwait(false);
        byte[] blob = new byte[Length];
        BinaryPrimitives.WriteUInt64BigEndian(blob, timestamp);
        signature.CopyTo(blob.AsSpan(TimestampLength));
        return new NoteSignature(signer.Key.Name, signer.Key.KeyId, blob);
    }

    /// <summary>
    /// Verifies one cosignature by a key of type 0x04. The caller must check separately whether the time is in the future
    /// (<see cref="IsAhead"/>).
    /// </summary>
    public static TlogError Verify(
        IEd25519Verifier ed25519, VerifierKey key, ReadOnlySpan<byte> checkpointBody, NoteSignature signature, out ulong timestamp)
    {
        ArgumentNullException.ThrowIfNull(ed25519);
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(signature);
        timestamp = 0;
        ReadOnlySpan<byte> blob = signature.Signature.Span;
        if (key.Type != SignatureType.CosignatureV1 || !signature.IsBy(key) || blob.Length != Length)
        {
            return TlogError.BadSignature;
        }
        ulong time = BinaryPrimitives.ReadUInt64BigEndian(blob);
        if (time > MaxTimestamp)
        {
            return TlogError.BadTimestamp;
        }
        if (!ed25519.Verify(key.PublicKey, BuildMessage(time, checkpointBody), blob[TimestampLength..]))
        {
            return TlogError.BadSignature;
        }
        timestamp = time;
        return TlogError.None;
    }

    /// <summary>Returns whether a cosignature's time is ahead of the current time (<paramref name="now"/>) by more than the
    /// tolerance.</summary>
    public static bool IsAhead(ulong timestamp, DateTimeOffset now, TimeSpan tolerance) =>
        timestamp > (ulong)Math.Max(0, (now + tolerance).ToUnixTimeSeconds());
}
