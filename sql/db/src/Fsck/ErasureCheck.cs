using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Checks that a value is missing if and only if the erasure sequence names its leaf or its period is destroyed. Also checks that each
/// erasure names a leaf that existed before it. Takes about 32 bytes of memory per erasure.
/// </summary>
internal sealed class ErasureCheck
{
    private const int Page = 4096;

    private readonly Dictionary<(ulong Epoch, ulong? Period, int Ordinal), ulong> _decidedIn = [];
    private readonly Dictionary<ulong, PeriodState> _states;
    private readonly FsckReport _report;

    private ErasureCheck(IReadOnlyList<PeriodRow> periods, FsckReport report)
    {
        _states = periods.ToDictionary(period => period.Period, period => period.State);
        _report = report;
    }

    /// <summary>Reads the erasure sequence and checks its consistency.</summary>
    public static async Task<ErasureCheck> ReadAsync(
        ConsistentRead read, ulong? headEpoch, IReadOnlyList<PeriodRow> periods, FsckReport report, CancellationToken cancellationToken)
    {
        var check = new ErasureCheck(periods, report);
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

    /// <summary>Checks that a leaf's value exists, or is missing because it was erased or destroyed.</summary>
    public void Check(StoredLeaf leaf) => Check(
        FormattableString.Invariant($"Leaf {leaf.Ordinal} of epoch {leaf.Epoch}"),
        leaf.Value is not null,
        (leaf.Epoch, null, leaf.Ordinal),
        leaf.Structure.IsPerPeriod() ? leaf.Period : null);

    /// <summary>Checks the value of a copy that is the last row of its key and does not remove the key's copy.</summary>
    public void Check(ulong period, int number, bool hasValue) =>
        Check(FormattableString.Invariant($"Copy {number} of period {period}"), hasValue, (0, period, number), period);

    // Checks one value. The parameter `period` is the period with which the value is destroyed; null if the value does not depend on a
    // period.
    private void Check(string name, bool hasValue, (ulong Epoch, ulong? Period, int Ordinal) leaf, ulong? period)
    {
        bool isErased = _decidedIn.TryGetValue(leaf, out ulong decidedIn);
        PeriodState? state = period is ulong number && _states.TryGetValue(number, out PeriodState stored) ? stored : null;
        if (!hasValue && !isErased && state is not (PeriodState.Destroying or PeriodState.Destroyed))
        {
            _report.Found($"{name} has no value, and no epoch erased it.");
        }
        else if (hasValue && isErased)
        {
            _report.Found($"{name} has a value that epoch {decidedIn} erased: it came back.");
        }
        else if (hasValue && state == PeriodState.Destroyed)
        {
            _report.Found($"{name} has a value that was destroyed with its period: it came back.");
        }
    }

    private void Add(StoredErasure erasure, (ulong Epoch, int Number) next, ulong? headEpoch)
    {
        (ulong epoch, int ordinal, _) = erasure.Erasure;
        string leaf = erasure.Erasure.Period is ulong period
            ? FormattableString.Invariant($"copy {ordinal} of period {period}")
            : FormattableString.Invariant($"leaf {ordinal} of epoch {epoch}");
        if (headEpoch is null || erasure.DecidedIn > headEpoch)
        {
            _report.Found($"Epoch {erasure.DecidedIn}, which is beyond the head, erased a value.");
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
