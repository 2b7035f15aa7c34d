using System.Security.Cryptography;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Settling;

/// <summary>
/// Reads and verifies histories of keys from the first replica. The histories are of the current period, or of ended periods at their last
/// epochs (docs/spec/periods.md section 5). Any thread may use a reader.
/// </summary>
internal sealed class HistoryReader
{
    private const int MostTries = 10_000;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(200);
    private readonly TargetOptions _options;
    private readonly Target _target;
    private readonly Views _views;
    private readonly TimeProvider _time;

    public HistoryReader(TargetOptions options, Target target, Views views, TimeProvider time)
    {
        _options = options;
        _target = target;
        _views = views;
        _time = time;
    }

    /// <summary>Returns whether the log must still serve a period, according to its configuration (docs/spec/periods.md section
    /// 8).</summary>
    public bool IsServed(ulong period) => _views.Period - Math.Min(period, _views.Period) < _options.Anchor.Configuration.RetainedPeriods;

    /// <summary>
    /// Reads the whole history of a key in a period. If the history could not be read, returns a description of the failure. If the log no
    /// longer serves the period, returns neither a history nor a failure. If the log begins the next period in the meantime, the reader
    /// follows the log into that period.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="period">The period.</param>
    /// <param name="mustShow">The epoch that a history of the current period must have at least reached.</param>
    /// <param name="before">
    /// The end state of the key in the previous period, with which the reader compares the first version of the history; null for no
    /// comparison.
    /// </param>
    /// <param name="isTimeUp">The function that returns whether the reader must give up.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    public async Task<(KeyHistory? History, string? Failure)> ReadAsync(
        string key, ulong period, ulong mustShow, EndState? before, Func<bool> isTimeUp, CancellationToken cancellationToken)
    {
        byte[] name = Encoding.UTF8.GetBytes(key);
        var pages = new Pages(name, before);
        string failure = "no answer";
        for (int i = 0; i < MostTries; i++)
        {
            if (!IsServed(period))
            {
                return (null, null);
            }
            byte[]? end = _views.FindEnd(period);
            if (pages.IsOfEnded != end is not null)
            {
                pages = new Pages(name, before) { IsOfEnded = end is not null };
            }
            string query = end is null ? "" : $"?period={period}";
            Reply reply = await _target.SendAsync(
                _options.QueryUrls[0], $"/v1/history{query}", MediaTypes.History, pages.Next(), MediaTypes.Query, authorize: true,
                TimeSpan.Zero, cancellationToken);
            if (reply.Error is null)
            {
                VersionsVerdict verdict = pages.Verify(_views.Context(null) with { EndedRecord = end }, reply.Body);
                if (verdict.Reason != Reason.Valid)
                {
                    return (null, $"does not verify: {verdict.Reason.Name()}");
                }
                VerifiedHead head = verdict.Head!;
                if (head.Period == period && (end is not null || head.Epoch >= mustShow))
                {
                    if (pages.Add(verdict, reply.Body) is { } whole)
                    {
                        return (whole, null);
                    }
                    continue;
                }
                // The reader tries again, because the replica has begun another period, or is still behind the epoch in which an update was
                // published.
                failure =
                    $"could not be read: the replica shows epoch {head.Epoch} of period {head.Period}, asked was for epoch {mustShow} of period {period}";
            }
            else
            {
                failure = $"could not be read: {reply.Error}";
            }
            if (isTimeUp())
            {
                break;
            }
            await Task.Delay(s_pause, _time, cancellationToken);
        }
        return (null, failure);
    }

    // Collects the pages of a history. A long history has several pages.
    private sealed class Pages
    {
        private readonly byte[] _name;
        private readonly EndState? _before;
        private readonly List<VersionCheck.HistoryVersion> _versions = [];
        private KnownKey _known;
        private Reason? _handover;

        public Pages(byte[] name, EndState? before)
        {
            _name = name;
            _before = before;
        }

        public bool IsOfEnded { get; init; }

        public byte[] Next() => QueryList.Encode([new Query(_name, 0, _known.Version + 1)]);

        public VersionsVerdict Verify(VerifierContext context, byte[] answer)
        {
            using var keys = new ByteStrings(1);
            keys.Add(_name);
            return Verifier.Versions(context, keys, [_known], answer);
        }

        // Adds a page. Returns the whole history if this is its last page, and null otherwise.
        public KeyHistory? Add(VersionsVerdict verdict, byte[] answer)
        {
            VerifiedHead head = verdict.Head!;
            VerifiedVersions page = verdict.Keys[0];
            if (_before is not null && page.From == 1)
            {
                _handover = Verifier.Handover(head, page, _before, answer);
            }
            _versions.AddRange(page.Members.Select(member => new VersionCheck.HistoryVersion(member.Version, member.LeafEpoch)));
            if (!page.Complete)
            {
                VerifiedVersion last = page.Members[^1];
                _known = new KnownKey(head.Epoch, head.Period, last.Version, last.Time, null, page.Version);
                return null;
            }
            return new KeyHistory(_versions, IsOfEnded ? End(head, page, answer) : null, _handover) { IsOfEnded = IsOfEnded };
        }

        private static EndState? End(VerifiedHead head, VerifiedVersions page, byte[] answer) =>
            page.Version == 0 ? new EndState(head.Period, head.Epoch, 0, default)
            : page.Members[^1].Value is { } value
                ? new EndState(head.Period, head.Epoch, page.Version, SHA256.HashData(answer.AsSpan(value)))
            : null;
    }
}
