namespace Optiks.Storage;

/// <summary>The columns of leaves to read. Each choice includes the columns of the choices before it.</summary>
public enum LeafColumns
{
    /// <summary>The columns that determine the trees. Every leaf is read as if its value was erased.</summary>
    Trees,

    /// <summary>
    /// Also the values and openings of structure devices, for programs that apply changes to users. All other leaves are read as if their
    /// values were erased.
    /// </summary>
    Lists,

    /// <summary>Also all values with their openings, from which lookups are answered.</summary>
    Values,

    /// <summary>All columns: also keys and origins, which bundles contain.</summary>
    All,
}
