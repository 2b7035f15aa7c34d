using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Renders the Head structures (docs/spec/board.md section 4) for answers about one record, each only once. The constructor renders the
/// heads for clients that keep no checkpoint and for clients that keep this epoch's checkpoint. A head for an older checkpoint is rendered
/// at the first request for it. If the answers are about an earlier record, every head is rendered at the first request for it.
/// Thread-safe.
/// </summary>
internal sealed class EpochHeads
{
    // The largest number of stored heads for older checkpoints. A head has 1.3 KB. Honest clients keep checkpoints of recent epochs, and
    // the limit bounds the memory that a hostile client can use.
    private const int MaxOthers = 1024;

    private readonly BoardLog _log;
    private readonly ReadOnlyMemory<byte> _record;
    private readonly ReadOnlyMemory<byte> _checkpoint;
    private readonly byte[]? _first;
    private readonly byte[]? _same;
    private readonly ConcurrentDictionary<ulong, byte[]> _others = new();
    private IReadOnlyList<TreeHash>? _inclusion;

    /// <summary>Creates the heads for answers about the last record of a checkpoint's log.</summary>
    public EpochHeads(VerifiedEpoch epoch, BoardLog log)
        : this(epoch.Row.Record, epoch.Row.Checkpoint, log)
    {
        _inclusion = epoch.Inclusion;
        _first = Render(_inclusion, [], _checkpoint.Span);
        _same = Render(_inclusion, [], []);
    }

    /// <summary>Creates the heads for answers about an earlier record in a checkpoint's log.</summary>
    public EpochHeads(ReadOnlyMemory<byte> record, ReadOnlyMemory<byte> checkpoint, BoardLog log)
    {
        _log = log;
        _record = record;
        _checkpoint = checkpoint;
    }

    /// <summary>
    /// Returns the head for a client that keeps a checkpoint of the given size, if that head is already rendered. The size is 0 if the
    /// client keeps no checkpoint, and is at most the size of this epoch's checkpoint.
    /// </summary>
    public bool TryGet(ulong keptSize, [NotNullWhen(true)] out byte[]? head)
    {
        head = keptSize == 0 ? _first : keptSize == _log.Size ? _same : null;
        return head is not null || _others.TryGetValue(keptSize, out head);
    }

    /// <summary>Renders the head for a client that keeps a checkpoint of the given size. Callers use it if <see cref="TryGet"/> returns
    /// false.</summary>
    public async Task<byte[]> RenderAsync(ulong keptSize, CancellationToken cancellationToken)
    {
        IReadOnlyList<TreeHash> inclusion =
            _inclusion ??= await _log.ProveInclusionAsync(EpochRecord.ReadEpoch(_record.Span), cancellationToken);
        IReadOnlyList<TreeHash> consistency = keptSize == 0 || keptSize == _log.Size
            ? []
            : await _log.ProveConsistencyAsync(keptSize, cancellationToken);
        byte[] head = Render(inclusion, consistency, keptSize == _log.Size ? [] : _checkpoint.Span);
        if (_others.Count < MaxOthers)
        {
            _others.TryAdd(keptSize, head);
        }
        return head;
    }

    /// <summary>Writes the total length of the hashes and then the hashes; returns the rest of the output.</summary>
    public static Span<byte> WriteHashes(Span<byte> output, IReadOnlyList<TreeHash> hashes)
    {
        BinaryPrimitives.WriteUInt16BigEndian(output, checked((ushort)(hashes.Count * TreeHash.Length)));
        output = output[sizeof(ushort)..];
        foreach (TreeHash hash in hashes)
        {
            hash.AsSpan().CopyTo(output);
            output = output[TreeHash.Length..];
        }
        return output;
    }

    private byte[] Render(IReadOnlyList<TreeHash> inclusion, IReadOnlyList<TreeHash> consistency, ReadOnlySpan<byte> checkpoint)
    {
        byte[] head = new byte[EpochRecord.Length + (3 * sizeof(ushort)) + ((inclusion.Count + consistency.Count) * TreeHash.Length)
            + checkpoint.Length];
        _record.Span.CopyTo(head);
        Span<byte> rest = WriteHashes(head.AsSpan(EpochRecord.Length), inclusion);
        rest = WriteHashes(rest, consistency);
        BinaryPrimitives.WriteUInt16BigEndian(rest, checked((ushort)checkpoint.Length));
        checkpoint.CopyTo(rest[sizeof(ushort)..]);
        return head;
    }
}
