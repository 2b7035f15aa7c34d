using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Optiks.Protocol;
using Optiks.QueryService.Following;
using Optiks.Storage.Replay;
using Optiks.Tlog;

namespace Optiks.QueryService.Answers;

/// <summary>
/// EpochHeads renders the Head structures (docs/spec/board.md section 4) of one epoch's answers, each once: the one for clients that keep no checkpoint, the one for those that keep
/// this one, and, when first asked for, those for older checkpoints. Any thread.
/// </summary>
internal sealed class EpochHeads
{
    // 1.3 KB each; clients keep the checkpoints of recent epochs, and a hostile one cannot make more.
    private const int MaxOlder = 1024;

    private readonly LogView _log;
    private readonly ReadOnlyMemory<byte> _record;
    private readonly IReadOnlyList<TreeHash> _inclusion;
    private readonly ReadOnlyMemory<byte> _checkpoint;
    private readonly byte[] _first;
    private readonly byte[] _same;
    private readonly ConcurrentDictionary<ulong, byte[]> _older = new();

    public EpochHeads(VerifiedEpoch epoch, LogView log)
    {
        _log = log;
        _record = epoch.Row.Record;
        _inclusion = epoch.Inclusion;
        _checkpoint = epoch.Row.Checkpoint;
        _first = Render([], _checkpoint.Span);
        _same = Render([], []);
    }

    /// <summary>
    /// TryGet gives the head for a client that keeps a checkpoint of this size (0: none), which is at most this epoch's, if it is rendered.
    /// </summary>
    public bool TryGet(ulong keptSize, [NotNullWhen(true)] out byte[]? head)
    {
        head = keptSize == 0 ? _first : keptSize == _log.Size ? _same : null;
        return head is not null || _older.TryGetValue(keptSize, out head);
    }

    /// <summary>RenderAsync makes the head of a size that <see cref="TryGet"/> does not have.</summary>
    public async Task<byte[]> RenderAsync(ulong keptSize, CancellationToken cancellationToken)
    {
        byte[] head = Render(await _log.ProveConsistencyAsync(keptSize, cancellationToken), _checkpoint.Span);
        if (_older.Count < MaxOlder)
        {
            _older.TryAdd(keptSize, head);
        }
        return head;
    }

    /// <summary>WriteHashes writes hashes with their length before them, and gives the room behind.</summary>
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

    private byte[] Render(IReadOnlyList<TreeHash> consistency, ReadOnlySpan<byte> checkpoint)
    {
        byte[] head = new byte[EpochRecord.Length + (3 * sizeof(ushort)) + ((_inclusion.Count + consistency.Count) * TreeHash.Length) + checkpoint.Length];
        _record.Span.CopyTo(head);
        Span<byte> rest = WriteHashes(head.AsSpan(EpochRecord.Length), _inclusion);
        rest = WriteHashes(rest, consistency);
        BinaryPrimitives.WriteUInt16BigEndian(rest, checked((ushort)checkpoint.Length));
        checkpoint.CopyTo(rest[sizeof(ushort)..]);
        return head;
    }
}
