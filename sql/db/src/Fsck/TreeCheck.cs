using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Builds the trees again, epoch by epoch. Compares their roots and counts with the records, and their audit proofs with those on the
/// board. Stops at the first difference, because every later root depends on that epoch.
/// </summary>
internal sealed class TreeCheck : IDisposable
{
    private const int RowsPerLoad = 16_384;

    private readonly ConsistentRead _read;
    private readonly Configuration _configuration;
    private readonly List<LeafRow> _copies = [];
    private readonly FsckReport _report;
    private readonly BoardPaths? _board;
    private readonly ulong _boardSize;
    private ulong _next;
    private ReadOnlyMemory<byte> _previous;
    private bool _stopped;
    private LogTrees _trees;
    private LogTrees? _begun;

    public TreeCheck(ConsistentRead read, Configuration configuration, FsckReport report, BoardPaths? board, ulong boardSize)
    {
        _read = read;
        _configuration = configuration;
        _report = report;
        _board = board;
        _boardSize = boardSize;
        _trees = LogTrees.CreateWithoutSecrets(configuration);
    }

    /// <summary>
    /// Creates the trees of the period that begins with the next epoch. These trees have the leaves of all earlier epochs in the structures
    /// <c>usernames</c> and <c>decommissioned</c>. The caller then adds the period's copies (<see cref="Copy"/>), and after them the next
    /// epoch.
    /// </summary>
    public async Task BeginAsync(ulong period, CancellationToken cancellationToken)
    {
        if (_stopped)
        {
            return;
        }
        _begun = LogTrees.CreateWithoutSecrets(_configuration, period);
        var leaves = new LeafCursor(_read);
        var rows = new List<LeafRow>();
        for (ulong epoch = 1; epoch < _next && !_stopped; epoch++)
        {
            rows.AddRange(
                (await leaves.TakeAsync(epoch, cancellationToken)).Where(
                    leaf => leaf.Structure is StructureId.Usernames or StructureId.Decommissioned).Select(ToRow));
            if (rows.Count >= RowsPerLoad || epoch + 1 == _next)
            {
                StopIf(_begun.Load(epoch, rows.ToArray(), []) ?? (epoch + 1 == _next ? _begun.EndLoad(epoch) : null));
                rows.Clear();
            }
        }
    }

    /// <summary>Adds a row of copies to the trees of the period that begins.</summary>
    public void Copy(StoredCopy copy)
    {
        _copies.Add(new LeafRow
        {
            Structure = copy.Structure,
            Version = copy.Source.IsDrop ? 0UL : 1,
            Label = copy.Label.Span,
            Commitment = copy.Commitment.Span,
            Tag = copy.Tag.Span,
            ValueOffset = LeafRow.NoValue,
        });
        if (_copies.Count >= RowsPerLoad)
        {
            LoadCopies();
        }
    }

    /// <summary>Adds an epoch's leaves to the trees, and compares the trees with the record. The given <paramref name="record"/> is null if
    /// the epoch's record cannot be decoded.</summary>
    public void Next(EpochRow row, EpochRecord? record, IReadOnlyList<StoredLeaf> leaves)
    {
        if (_stopped)
        {
            return;
        }
        if (record?.Epoch != row.Epoch || row.Epoch != _next)
        {
            Stop($"The roots from epoch {_next} on cannot be compared: records are missing, or belong to another epoch.");
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

    public void Dispose()
    {
        _trees.Dispose();
        _begun?.Dispose();
    }

    private static LeafRow ToRow(StoredLeaf leaf) => new()
    {
        Epoch = leaf.Epoch,
        Structure = leaf.Structure,
        Version = leaf.Version,
        Label = leaf.Label.Span,
        Commitment = leaf.Commitment.Span,
        Tag = leaf.Tag.Span,
        ValueOffset = LeafRow.NoValue,
    };

    private void LoadCopies()
    {
        if (!_stopped && _copies.Count > 0)
        {
            StopIf(_begun?.LoadCopies(_copies.ToArray(), []));
        }
        _copies.Clear();
    }

    private void Stage(EpochRow row, EpochRecord record, IReadOnlyList<StoredLeaf> leaves)
    {
        LeafRow[] rows = [.. leaves.Select(ToRow)];
        LoadCopies();
        if (_stopped)
        {
            return;
        }
        bool isStaged = _begun is not null
            ? _begun.TryStartPeriod(record, rows, [], withProofs: _board is not null, out StagedEpoch? staged, out Refused? refused)
            : _trees.TryStage(record, rows, [], withProofs: _board is not null, out staged, out refused);
        if (!isStaged)
        {
            StopIf(refused);
            return;
        }
        using (StagedEpoch made = staged!)
        {
            if (_board is not null)
            {
                CompareAudit(_board, row, made);
            }
            made.Commit();
        }
        if (_begun is not null)
        {
            _trees.Dispose();
            (_trees, _begun) = (_begun, null);
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
            _report.Found($"The board's audit proof of epoch {row.Epoch} does not match the leaves.");
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
