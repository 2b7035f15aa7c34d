using System.Globalization;
using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;

namespace Optiks.QueryService.Following;

/// <summary>Names the files in the replica's folder, which is <c>replicas/{name}</c> in the data folder. Does not access the
/// files.</summary>
internal sealed class ReplicaFiles
{
    public ReplicaFiles(DataFolder data, IOptions<QueryServiceOptions> options)
    {
        Folder = Path.Combine(data.Replicas, options.Value.Replica);
        Periods = Path.Combine(Folder, "periods");
    }

    /// <summary>The folder that contains all of the replica's files.</summary>
    public string Folder { get; }

    /// <summary>The folder that contains the folders of all periods except the first.</summary>
    public string Periods { get; }

    /// <summary>
    /// Returns the files of a period's trees. The files of the first period are in another folder than the files of later periods. They
    /// stay where they were written before the log had later periods. A switch does not rename files, so a crash cannot leave a file in the
    /// wrong place.
    /// </summary>
    public TreeFiles ForPeriod(ulong period) =>
        new(period == 0 ? Folder : Path.Combine(Periods, period.ToString(CultureInfo.InvariantCulture)));
}
