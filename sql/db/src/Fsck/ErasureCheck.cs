using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>ErasureCheck: a value is missing exactly where the erasure sequence says so, and the sequence is of leaves that were there before. Keeps some 32 octets an erasure.</summary>
internal sealed class ErasureCheck
{
    private const int Page = 4096;

    private readonly Dictionary<(ulong Epoch, ulong? Period, int Ordinal), ulong> _decidedIn = [];
    private readonly Report _report;

    private ErasureCheck(Report report) => _report = report;

    /// <summary>ReadAsync reads the sequence and checks it by itself.</summary>
    public static async Task<ErasureCheck> ReadAsync(IConsistentRead read, ulong? headEpoch, Report report, CancellationToken cancellationToken)
    {
        var check = new ErasureCheck(report);
        (ulong Epoch, int Number) next = (0, 0);
        IReadOnlyList<StoredErasure> erasures;
        while ((erasures = await read.ReadErasuresAsync(next.Epoch, next.Number, Page, cancellationToken)).Count > 0)
        {
            foreach (StoredErasure erasure in erasures)
            {
                check.Add(erasure, next, headEpoch);
                next = (erasure.DecidedIn, erasure.Number + 1);
            }
        }
        return check;
    }

    /// <summary>Check takes a leaf.</summary>
    public void Check(StoredLeaf leaf)
    {
        bool isErased = _decidedIn.TryGetValue((leaf.Epoch, null, leaf.Ordinal), out ulong decidedIn);
        if (leaf.Value is null && !isErased)
        {
            _report.Found($"Leaf {leaf.Ordinal} of epoch {leaf.Epoch} has no value, and no epoch erased it.");
        }
        if (leaf.Value is not null && isErased)
        {
            _report.Found($"Leaf {leaf.Ordinal} of epoch {leaf.Epoch} has a value that epoch {decidedIn} erased: it came back.");
        }
    }

    /// <summary>DecidedIn is the epoch that erased a copy; null: none did.</summary>
    public ulong? DecidedIn(StoredCopy copy) => _decidedIn.TryGetValue((0, copy.Period, copy.Number), out ulong epoch) ? epoch : null;

    private void Add(StoredErasure erasure, (ulong Epoch, int Number) next, ulong? headEpoch)
    {
        (ulong epoch, int ordinal, _) = erasure.Erasure;
        string leaf = erasure.Erasure.Period is ulong period
            ? FormattableString.Invariant($"copy {ordinal} of period {period}")
            : FormattableString.Invariant($"leaf {ordinal} of epoch {epoch}");
        if (headEpoch is null || erasure.DecidedIn > headEpoch)
        {
            _report.Found($"Epoch {erasure.DecidedIn} erased a value, which is beyond the head.");
        }
        if (erasure.Number != (erasure.DecidedIn == next.Epoch ? next.Number : 0))
        {
            _report.Found($"The erasures of epoch {erasure.DecidedIn} have a gap before {erasure.Number}.");
        }
        if (erasure.Structure is null)
        {
            _report.Found($"Epoch {erasure.DecidedIn} erased the value of {leaf}, which is not there.");
        }
        if (!_decidedIn.TryAdd((epoch, erasure.Erasure.Period, ordinal), erasure.DecidedIn))
        {
            _report.Found($"Epoch {erasure.DecidedIn} erased the value of {leaf}, which was erased before.");
        }
    }
}
