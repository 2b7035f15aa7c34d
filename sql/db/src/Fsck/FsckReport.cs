using System.Globalization;

namespace Optiks.Db.Fsck;

/// <summary>Collects the counts and the problems of a check, one sentence per problem.</summary>
internal sealed class FsckReport
{
    private readonly List<string> _problems = [];

    /// <summary>The problems in the order in which they were found.</summary>
    public IReadOnlyList<string> Problems => _problems;

    public long Epochs { get; set; }

    public long Leaves { get; set; }

    public long Requests { get; set; }

    public long Pending { get; set; }

    /// <summary>Adds a problem, described by one sentence.</summary>
    public void Found(FormattableString sentence) => _problems.Add(sentence.ToString(CultureInfo.InvariantCulture));
}
