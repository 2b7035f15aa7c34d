using System.Buffers.Binary;
using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Periods;

/// <summary>
/// Verifies an archive that <see cref="ArchiveWriter"/> wrote, without the database: recomputes the roots of the structures <c>devices</c>
/// and <c>keys</c> at each epoch. Throws <see cref="StorageCorruptException"/> unless the archive is complete and each computed root equals
/// the root in the archive's record of the epoch.
/// </summary>
internal sealed class ArchiveCheck : IDisposable
{
    private const int LeafLength = 1 + (2 * Lengths.Hash);
    private const int CopiesPerPage = 4096;

    private readonly Stream _stream;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly TrustAnchor _anchor;

    private ArchiveCheck(Stream stream, TrustAnchor anchor)
    {
        _stream = stream;
        _anchor = anchor;
    }

    /// <summary>Verifies an archive. Returns the number of its epochs and the number of its leaves; copies count as leaves.</summary>
    public static (ulong Epochs, long Leaves) Run(Stream stream, TrustAnchor anchor)
    {
        using var check = new ArchiveCheck(stream, anchor);
        return check.Run();
    }

    public void Dispose() => _hash.Dispose();

    private (ulong Epochs, long Leaves) Run()
    {
        if (!Take(ArchiveWriter.Magic.Length).AsSpan().SequenceEqual(ArchiveWriter.Magic))
        {
            throw new StorageCorruptException("The file is not an archive of a period, or is from a newer version.");
        }
        if (!Take(Lengths.Hash).AsSpan().SequenceEqual(_anchor.LogId.Span))
        {
            throw new StorageCorruptException("The archive belongs to another log than the trust anchor.");
        }
        (ulong period, ulong first, ulong last) = (Number(), Number(), Number());
        if (last < first || (period == 0) != (first == 0))
        {
            throw Damaged();
        }
        // The file does not say which leaves belong to the same key, so the check adds each leaf as if it had a key of its own.
        using var secrets = DirectorySecrets.Generate();
        using var directory = KeyDirectory.Create(
            new DirectoryOptions
            {
                Secrets = secrets,
                Values = KeptValues.None,
                Period = period,
                MaxValueLength = _anchor.Configuration.MaxValueLength,
                ReusesUsernames = _anchor.Configuration.ReusesUsernames,
                Threads = DirectoryOptions.AllProcessors,
            });
        long leaves = LoadCopies(directory, period, first);
        ReadOnlyMemory<byte> previous = default;
        for (ulong epoch = first; epoch <= last; epoch++)
        {
            byte[] octets = Take(EpochRecord.Length);
            EpochRecord record = Decode(octets);
            if (record.Epoch != epoch || record.Period != period || record.PeriodFirstEpoch != first
                || (epoch > first && !record.Previous.Span.SequenceEqual(previous.Span)))
            {
                throw new StorageCorruptException($"The archive's record of epoch {epoch} does not follow the previous record.");
            }
            previous = EpochRecord.Hash(octets);
            LeafRow[] rows = Leaves(Count(), epoch);
            leaves += rows.Length;
            Compare(directory, record, rows);
        }
        byte[] sum = _hash.GetHashAndReset();
        if (!Read(sum.Length).AsSpan().SequenceEqual(sum) || _stream.ReadByte() >= 0)
        {
            throw Damaged();
        }
        return (last - first + 1, leaves);
    }

    private long LoadCopies(KeyDirectory directory, ulong period, ulong first)
    {
        int copies = Count();
        if (period == 0)
        {
            return copies == 0 ? 0 : throw Damaged();
        }
        try
        {
            if (first > 1)
            {
                directory.Load(first - 1, [], []);
                directory.EndLoad();
            }
            for (int left = copies; left > 0; left -= Math.Min(left, CopiesPerPage))
            {
                directory.LoadCopies(Leaves(Math.Min(left, CopiesPerPage), epoch: 0), []);
            }
        }
        catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Duplicate)
        {
            throw new StorageCorruptException($"The archive's copies contradict each other ({e.Message}).", e);
        }
        return copies;
    }

    private static void Compare(KeyDirectory directory, EpochRecord record, LeafRow[] rows)
    {
        StructureState[] states;
        if (record.Epoch == 0)
        {
            states = rows.Length == 0 ? directory.States(out _) : throw Damaged();
        }
        else
        {
            try
            {
                using StagedEpoch staged = record.Epoch == record.PeriodFirstEpoch
                    ? directory.StartPeriod(record.Epoch, rows, [], withProofs: false)
                    : directory.Stage(record.Epoch, rows, [], withProofs: false);
                states = staged.States();
                staged.Commit();
            }
            catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Duplicate)
            {
                throw new StorageCorruptException(
                    $"The archive's leaves up to epoch {record.Epoch} contradict each other ({e.Message}).", e);
            }
        }
        foreach (StructureId structure in (StructureId[])[StructureId.Devices, StructureId.Keys])
        {
            (StructureState made, StructureState recorded) = (states[(int)structure - 1], record.Structures[(int)structure - 1]);
            if (made.Count != recorded.Count || !made.Root.Span.SequenceEqual(recorded.Root.Span))
            {
                throw new StorageCorruptException(
                    $"The archive's leaves up to epoch {record.Epoch} do not give its record's root and count of structure {(int)structure}.");
            }
        }
    }

    private LeafRow[] Leaves(int count, ulong epoch)
    {
        var rows = new LeafRow[count];
        for (int i = 0; i < count; i++)
        {
            byte[] leaf = Take(LeafLength);
            ReadOnlySpan<byte> label = leaf.AsSpan(1, Lengths.Hash);
            ReadOnlySpan<byte> commitment = leaf.AsSpan(1 + Lengths.Hash);
            rows[i] = new LeafRow
            {
                Structure = leaf[0] is (byte)StructureId.Devices or (byte)StructureId.Keys ? (StructureId)leaf[0] : throw Damaged(),
                Epoch = epoch,
                Version = 1,
                Label = label,
                Commitment = commitment,
                Tag = label[..16],
                ValueOffset = LeafRow.NoValue,
            };
        }
        return rows;
    }

    private static EpochRecord Decode(byte[] octets)
    {
        try
        {
            return EpochRecord.Decode(octets);
        }
        catch (EncodingException)
        {
            throw Damaged();
        }
    }

    private ulong Number() => BinaryPrimitives.ReadUInt64BigEndian(Take(sizeof(ulong)));

    private int Count() => BinaryPrimitives.ReadInt32BigEndian(Take(sizeof(int))) is >= 0 and var count
        && count <= _stream.Length / LeafLength ? count : throw Damaged();

    private byte[] Take(int length)
    {
        byte[] octets = Read(length);
        _hash.AppendData(octets);
        return octets;
    }

    private byte[] Read(int length)
    {
        byte[] octets = new byte[length];
        return _stream.ReadAtLeast(octets, length, throwOnEndOfStream: false) == length ? octets : throw Damaged();
    }

    private static StorageCorruptException Damaged() => new("The archive is damaged, or cut short.");
}
