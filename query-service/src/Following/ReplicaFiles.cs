using System.Globalization;
using Microsoft.Extensions.Options;
using Optiks.QueryService.Options;

namespace Optiks.QueryService.Following;

/// <summary>Names what lies in the replica's folder, <c>replicas/{name}</c> of the data folder. Touches nothing.</summary>
internal sealed class ReplicaFiles
{
    public ReplicaFiles(DataFolder data, IOptions<QueryServiceOptions> options)
    {
        Folder = Path.Combine(data.Replicas, options.Value.Replica);
        Periods = Path.Combine(Folder, "periods");
    }

    /// <summary>Folder of them all.</summary>
    public string Folder { get; }

    /// <summary>The folder of the folders of later periods than the first.</summary>
    public string Periods { get; }

    /// <summary>Gives the files of a period's trees. The first period's stand where they stood before there were others; none of them is ever renamed at a switch, so that no crash leaves one in the wrong place.</summary>
    public TreeFiles Of(ulong period) => new(period == 0 ? Folder : Path.Combine(Periods, period.ToString(CultureInfo.InvariantCulture)));
}
