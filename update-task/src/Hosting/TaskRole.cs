namespace Optiks.UpdateTask.Hosting;

/// <summary>Lists the roles of the task.</summary>
internal enum TaskRole
{
    /// <summary>The task opens the database.</summary>
    Starting,

    /// <summary>Another task holds the lease.</summary>
    Standby,

    /// <summary>The task holds the lease and rebuilds the trees.</summary>
    Recovering,

    /// <summary>The task holds the lease and makes epochs.</summary>
    Leading,
}
