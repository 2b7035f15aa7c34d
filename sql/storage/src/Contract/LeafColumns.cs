namespace Optiks.Storage;

/// <summary>Selects the columns of leaves to read. Each choice includes the columns of all choices before it.</summary>
public enum LeafColumns
{
    /// <summary>Selects only the columns that determine the trees. All leaves are returned as if their values were erased.</summary>
    Trees,

    /// <summary>
    /// Adds the values and openings of leaves of the structure <c>devices</c>, for programs that apply changes to users. All other leaves
    /// are returned as if their values were erased.
    /// </summary>
    Lists,

    /// <summary>Adds the values and openings of all leaves, which a program needs to answer lookups.</summary>
    Values,

    /// <summary>Adds keys and origins, which bundles contain; this choice selects all columns.</summary>
    All,
}
