using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Storage;

namespace Optiks.Db.Transfer;

/// <summary>
/// Writes an export: the contents of a database as one stream, independent of any engine's types. Secrets stay wrapped as in the database,
/// but keys and values are readable, so only the operator may read the file. Not thread-safe.
/// </summary>
/// <remarks>
/// <para>Integers are big-endian. The export begins with the magic <c>optiks export 2\n</c>. Then come rows, each with its kind (1), the
/// length of the rest (4) and the row. All rows of one kind come together, in the order of their table's primary key, and the kinds come in
/// the order below. <c>opaque</c> is a length (4) and bytes. An optional part is 0, or 1 and the part. Numbers in parentheses are lengths
/// in bytes.</para>
/// <para>1 period: period (8), state (1), optional first epoch (8), optional copies (4), wrapped secrets, configuration (opaque).</para>
/// <para>2 epoch: epoch (8), leaves (8), value bytes (8), record, record hash, checkpoint (opaque).</para>
/// <para>3 leaf: epoch (8), ordinal (4), structure (1), period (8), version (8), label, commitment, tag (opaque), request id (16), item
/// (2), optional opening, key, value (opaque).</para>
/// <para>4 request: sequence (8), id (16), body hash (opaque).</para>
/// <para>5 pending: sequence (8), item (2), structure (1), key, value (opaque), optional expected period (8) and version (8).</para>
/// <para>6 outcome: sequence (8), item (2), epoch (8), optional ordinal (4), optional refusal: reason (1), item (2), period (8), version
/// (8).</para>
/// <para>8 erasure: epoch that decided it (8), number (4), epoch (8) and ordinal (4) of the leaf, request id (16), item (2), optional
/// period (8) of a copy.</para>
/// <para>9 copy: period (8), number (4), structure (1), label, commitment, tag (opaque), optional version copied (8), source's epoch (8)
/// and ordinal (4), optional opening, key, value (opaque).</para>
/// <para>7 head, once: optional epoch (8), record hash (opaque), optional published epoch (8), fence (8).</para>
/// <para>255 end: the SHA-256 of everything before this row (32).</para>
/// <para>Files that begin with <c>optiks export 1\n</c> have other rows for periods: period (8), first epoch (8), wrapped secrets,
/// configuration (opaque). All of these periods are current. Erasures in such files have no period, and the files have no copies.</para>
/// </remarks>
internal sealed class RowWriter : IDisposable
{
    private readonly Stream _stream;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly OctetWriter _row = new(64 * 1024);

    public RowWriter(Stream stream)
    {
        _stream = stream;
        Put(Magic);
    }

    internal static ReadOnlySpan<byte> Magic => "optiks export 2\n"u8;

    internal static ReadOnlySpan<byte> MagicWithoutStates => "optiks export 1\n"u8;

    public void Write(PeriodRow period)
    {
        _row.U64(period.Period);
        _row.U8((byte)period.State);
        OptionalUInt64(period.FirstEpoch);
        if (Optional(period.Copies is not null))
        {
            _row.U32((uint)period.Copies!.Value);
        }
        Opaque(period.WrappedSecrets.Span);
        Opaque(period.Configuration.Span);
        End(RowKind.Period);
    }

    public void Write(StoredEpoch epoch)
    {
        _row.U64(epoch.Row.Epoch);
        _row.U64((ulong)epoch.Leaves);
        _row.U64((ulong)epoch.ValueBytes);
        Opaque(epoch.Row.Record.Span);
        Opaque(epoch.Row.RecordHash.Span);
        Opaque(epoch.Row.Checkpoint.Span);
        End(RowKind.Epoch);
    }

    public void Write(StoredLeaf leaf)
    {
        _row.U64(leaf.Epoch);
        _row.U32((uint)leaf.Ordinal);
        _row.U8((byte)leaf.Structure);
        _row.U64(leaf.Period);
        _row.U64(leaf.Version);
        Opaque(leaf.Label.Span);
        Opaque(leaf.Commitment.Span);
        Opaque(leaf.Tag.Span);
        _row.RequestId(leaf.Origin.RequestId);
        _row.U16(checked((ushort)leaf.Origin.Item));
        OptionalValue(leaf.Value);
        End(RowKind.Leaf);
    }

    public void Write(StoredRequest request)
    {
        _row.U64((ulong)request.Sequence);
        _row.RequestId(request.RequestId);
        Opaque(request.BodyHash.Span);
        End(RowKind.Request);
    }

    public void Write(StoredPending pending)
    {
        _row.U64((ulong)pending.Sequence);
        _row.U16(checked((ushort)pending.Item));
        _row.U8((byte)pending.Update.Structure);
        Opaque(pending.Update.Key.Span);
        Opaque(pending.Update.Value.Span);
        if (Optional(pending.Update.Expected is not null))
        {
            _row.U64(pending.Update.Expected!.Value.Period);
            _row.U64(pending.Update.Expected.Value.Version);
        }
        End(RowKind.Pending);
    }

    public void Write(StoredOutcome outcome)
    {
        _row.U64((ulong)outcome.Sequence);
        _row.U16(checked((ushort)outcome.Item));
        _row.U64(outcome.Epoch);
        (int? ordinal, Refusal? refusal) = outcome.Result;
        if (Optional(ordinal is not null))
        {
            _row.U32((uint)ordinal!.Value);
        }
        if (Optional(refusal is not null))
        {
            _row.U8((byte)refusal!.Reason);
            _row.U16(checked((ushort)refusal.Item));
            _row.U64(refusal.Current.Period);
            _row.U64(refusal.Current.Version);
        }
        End(RowKind.Outcome);
    }

    public void Write(StoredErasure erasure)
    {
        _row.U64(erasure.DecidedIn);
        _row.U32((uint)erasure.Number);
        _row.U64(erasure.Erasure.Epoch);
        _row.U32((uint)erasure.Erasure.Ordinal);
        _row.RequestId(erasure.Erasure.Origin.RequestId);
        _row.U16(checked((ushort)erasure.Erasure.Origin.Item));
        OptionalUInt64(erasure.Erasure.Period);
        End(RowKind.Erasure);
    }

    public void Write(StoredCopy copy)
    {
        _row.U64(copy.Period);
        _row.U32((uint)copy.Number);
        _row.U8((byte)copy.Structure);
        Opaque(copy.Label.Span);
        Opaque(copy.Commitment.Span);
        Opaque(copy.Tag.Span);
        if (Optional(!copy.Source.IsDrop))
        {
            _row.U64(copy.Source.Version);
            _row.U64(copy.Source.Epoch);
            _row.U32((uint)copy.Source.Ordinal);
        }
        OptionalValue(copy.Value);
        End(RowKind.Copy);
    }

    /// <summary>Writes the head row and the end row, which complete the export.</summary>
    public void Finish(HeadRow head)
    {
        OptionalUInt64(head.Epoch);
        Opaque(head.RecordHash.Span);
        OptionalUInt64(head.PublishedEpoch);
        _row.U64((ulong)head.Fence);
        End(RowKind.Head);
        _row.Octets(_hash.GetHashAndReset());
        End(RowKind.End);
    }

    public void Dispose() => _hash.Dispose();

    private void OptionalUInt64(ulong? value)
    {
        if (Optional(value is not null))
        {
            _row.U64(value!.Value);
        }
    }

    private void OptionalValue(StoredValue? value)
    {
        if (Optional(value is not null))
        {
            Opaque(value!.Opening.Span);
            Opaque(value.Key.Span);
            Opaque(value.Value.Span);
        }
    }

    private bool Optional(bool isThere)
    {
        _row.U8(isThere ? (byte)1 : (byte)0);
        return isThere;
    }

    private void Opaque(ReadOnlySpan<byte> octets)
    {
        _row.U32((uint)octets.Length);
        _row.Octets(octets);
    }

    private void End(RowKind kind)
    {
        Span<byte> prefix = stackalloc byte[RowReader.PrefixLength];
        prefix[0] = (byte)kind;
        BinaryPrimitives.WriteUInt32BigEndian(prefix[1..], (uint)_row.Written.Length);
        Put(prefix);
        Put(_row.Written.Span);
        _row.Clear();
    }

    private void Put(ReadOnlySpan<byte> octets)
    {
        _hash.AppendData(octets);
        _stream.Write(octets);
    }
}
