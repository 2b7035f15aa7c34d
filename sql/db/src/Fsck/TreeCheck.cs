using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Replay;

namespace Optiks.Db.Fsck;

/// <summary>
/// TreeCheck builds the trees again, epoch by epoch, and compares roots and counts with the records, and audit proofs with the board's. After the first difference it stops: every later
/// root follows from it.
/// </summary>
internal sealed class TreeCheck : IDisposable
{
    private readonly LogTrees _trees;
    private readonly Report _report;
    private readonly BoardPaths? _board;
    private readonly ulong _boardSize;
    private ulong _next;
    private ReadOnlyMemory<byte> _previous;
    private bool _stopped;

    public TreeCheck(Configuration configuration, Report report, BoardPaths? board, ulong boardSize)
    {
        _report = report;
        _board = board;
        _boardSize = boardSize;
        _trees = LogTrees.CreateWithoutSecrets(configuration);
    }

    /// <summary>Next adds an epoch's leaves. <paramref name="record"/> is null when it cannot be read.</summary>
    public void Next(EpochRow row, EpochRecord? record, IReadOnlyList<StoredLeaf> leaves)
    {
        if (_stopped)
        {
            return;
        }
        if (record?.Epoch != row.Epoch || row.Epoch != _next)
        {
            Stop($"The roots from epoch {_next} on cannot be compared: records are missing, or another epoch's.");
            return;
        }
        _next++;
        if (row.Epoch == 0)
        {
            if (leaves.Count > 0)
            {
                Stop($"Epoch 0 has leaves.");
                return;
            }
            StopIf(_trees.Match(record));
        }
        else
        {
            Stage(row, record, leaves);
        }
        _previous = row.Record;
    }

    public void Dispose() => _trees.Dispose();

    private void Stage(EpochRow row, EpochRecord record, IReadOnlyList<StoredLeaf> leaves)
    {
        var rows = new LeafRow[leaves.Count];
        for (int i = 0; i < rows.Length; i++)
        {
            rows[i] = new LeafRow
            {
                Epoch = row.Epoch,
                Structure = leaves[i].Structure,
                Version = leaves[i].Version,
                Label = leaves[i].Label.Span,
                Commitment = leaves[i].Commitment.Span,
                Tag = leaves[i].Tag.Span,
                ValueOffset = LeafRow.NoValue,
            };
        }
        if (!_trees.TryStage(record, rows, [], withProofs: _board is not null, out StagedEpoch? staged, out Refused? refused))
        {
            StopIf(refused);
            return;
        }
        using (staged)
        {
            if (_board is not null)
            {
                CompareAudit(_board, row, staged);
            }
            staged.Commit();
        }
    }

    private void CompareAudit(BoardPaths board, EpochRow row, StagedEpoch staged)
    {
        string path = board.Audit(row.Epoch);
        if (!File.Exists(path))
        {
            if (row.Epoch < _boardSize)
            {
                _report.Found($"The board lacks the audit proof of epoch {row.Epoch}.");
            }
            return;
        }
        byte[] expected = AuditProof.Encode([_previous, row.Record], staged.AppendProofs());
        if (!File.ReadAllBytes(path).AsSpan().SequenceEqual(expected))
        {
            _report.Found($"The board's audit proof of epoch {row.Epoch} is not the one that the leaves give.");
        }
    }

    private void StopIf(Refused? refused)
    {
        if (refused is not null)
        {
            Stop($"{refused.Why} Later roots were not compared.");
        }
    }

    private void Stop(FormattableString sentence)
    {
        _report.Found(sentence);
        _stopped = true;
    }
}
