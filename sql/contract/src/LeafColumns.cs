namespace Optiks.Storage;

/// <summary>What is read of leaves. Each has what those before it have.</summary>
public enum LeafColumns
{
    /// <summary>Trees: what trees follow from. Each leaf comes as if its value was erased.</summary>
    Trees,

    /// <summary>Lists: values of structure devices with their openings, for whoever applies changes of users. All other leaves come as if their values were erased.</summary>
    Lists,

    /// <summary>Values with their openings: what lookups are answered from.</summary>
    Values,

    /// <summary>All: keys and origins too, which bundles have.</summary>
    All,
}
