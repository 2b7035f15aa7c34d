using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// TreeCheck builds the trees again, epoch by epoch, and compares roots and counts with the records, and audit proofs with the board's. After the first difference it stops: every later
/// root follows from it.
/// </summary>
/// <remarks>
/// Roots follow from labels and commitments alone. A directory wants VRF secrets for labels that nobody asks for here, so it gets some of its own, and no secret of the log is needed; whether a
/// label is its key's is what lookups prove. Values are not kept.
/// </remarks>
internal sealed class TreeCheck : IDisposable
{
    private readonly KeyDirectory _directory;
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
        using var secrets = DirectorySecrets.Generate();
        _directory = KeyDirectory.Create(new DirectoryOptions { Secrets = secrets, WithoutValues = true, MaxValueLength = configuration.MaxValueLength, Threads = DirectoryOptions.AllProcessors });
    }

    /// <summary>Next adds an epoch's leaves. <paramref name="record"/> is null when it cannot be read.</summary>
    public void Next(EpochRow row, EpochRecord? record, IReadOnlyList<StoredLeaf> leaves)
    {
        if (_stopped)
        {
            return;
        }
        if (record is null || row.Epoch != _next)
        {
            Stop($"The roots from epoch {_next} on cannot be compared: records are missing.");
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
            Compare(row.Epoch, _directory.States(out _), record);
        }
        else
        {
            Stage(row, record, leaves);
        }
        _previous = row.Record;
    }

    public void Dispose() => _directory.Dispose();

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
        try
        {
            using StagedEpoch staged = _directory.Stage(row.Epoch, rows, [], withProofs: _board is not null);
            if (!Compare(row.Epoch, staged.States(), record))
            {
                return;
            }
            if (_board is not null)
            {
                CompareAudit(_board, row, staged);
            }
            staged.Commit();
        }
        catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Duplicate)
        {
            Stop($"The leaves of epoch {row.Epoch} do not make trees ({(e.Status == NativeStatus.Duplicate ? "a label is there twice" : "out of order, or a version is skipped")}); later roots were not compared.");
        }
    }

    private bool Compare(ulong epoch, StructureState[] states, EpochRecord record)
    {
        for (int i = 0; i < states.Length; i++)
        {
            if (states[i].Count != record.Structures[i].Count || !states[i].Root.Span.SequenceEqual(record.Structures[i].Root.Span))
            {
                Stop($"The leaves up to epoch {epoch} do not give its record's root and count of structure {i + 1}; later roots were not compared.");
                return false;
            }
        }
        return true;
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

    private void Stop(FormattableString sentence)
    {
        _report.Found(sentence);
        _stopped = true;
    }
}
