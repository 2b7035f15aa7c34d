using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Renders the Head structures (docs/spec/board.md section 4) of one epoch's answers, each once: the one for clients that keep no checkpoint, the one for those that keep
/// this one, and, when first asked for, those for older checkpoints. Of answers about an earlier record all are made when first asked for. Any thread.
/// </summary>
internal sealed class EpochHeads
{
    // 1.3 KB each; clients keep the checkpoints of recent epochs, and a hostile one cannot make more.
    private const int MaxOthers = 1024;

    private readonly LogView _log;
    private readonly ReadOnlyMemory<byte> _record;
    private readonly ReadOnlyMemory<byte> _checkpoint;
    private readonly byte[]? _first;
    private readonly byte[]? _same;
    private readonly ConcurrentDictionary<ulong, byte[]> _others = new();
    private IReadOnlyList<TreeHash>? _inclusion;

    /// <summary>EpochHeads of the record that the checkpoint ends with.</summary>
    public EpochHeads(VerifiedEpoch epoch, LogView log)
        : this(epoch.Row.Record, epoch.Row.Checkpoint, log)
    {
        _inclusion = epoch.Inclusion;
        _first = Render(_inclusion, [], _checkpoint.Span);
        _same = Render(_inclusion, [], []);
    }

    /// <summary>EpochHeads of an earlier record in the log of a checkpoint.</summary>
    public EpochHeads(ReadOnlyMemory<byte> record, ReadOnlyMemory<byte> checkpoint, LogView log)
    {
        _log = log;
        _record = record;
        _checkpoint = checkpoint;
    }

    /// <summary>
    /// Gives the head for a client that keeps a checkpoint of this size (0: none), which is at most this epoch's, if it is rendered.
    /// </summary>
    public bool TryGet(ulong keptSize, [NotNullWhen(true)] out byte[]? head)
    {
        head = keptSize == 0 ? _first : keptSize == _log.Size ? _same : null;
        return head is not null || _others.TryGetValue(keptSize, out head);
    }

    /// <summary>Makes the head of a size that <see cref="TryGet"/> does not have.</summary>
    public async Task<byte[]> RenderAsync(ulong keptSize, CancellationToken cancellationToken)
    {
        IReadOnlyList<TreeHash> inclusion = _inclusion ??= await _log.ProveInclusionAsync(EpochRecord.EpochOf(_record.Span), cancellationToken);
        IReadOnlyList<TreeHash> consistency = keptSize == 0 || keptSize == _log.Size ? [] : await _log.ProveConsistencyAsync(keptSize, cancellationToken);
        byte[] head = Render(inclusion, consistency, keptSize == _log.Size ? [] : _checkpoint.Span);
        if (_others.Count < MaxOthers)
        {
            _others.TryAdd(keptSize, head);
        }
        return head;
    }

    /// <summary>Writes hashes with their length before them, and gives the room behind.</summary>
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
        byte[] head = new byte[EpochRecord.Length + (3 * sizeof(ushort)) + ((inclusion.Count + consistency.Count) * TreeHash.Length) + checkpoint.Length];
        _record.Span.CopyTo(head);
        Span<byte> rest = WriteHashes(head.AsSpan(EpochRecord.Length), inclusion);
        rest = WriteHashes(rest, consistency);
        BinaryPrimitives.WriteUInt16BigEndian(rest, checked((ushort)checkpoint.Length));
        checkpoint.CopyTo(rest[sizeof(ushort)..]);
        return head;
    }
}
