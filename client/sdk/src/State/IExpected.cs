namespace Optiks.Client;

/// <summary>A change that an owner made and that the log has not shown yet (docs/spec/state.md section 3.1).</summary>
internal interface IExpected<T>
{
    /// <summary>Whether the log showed a later change by the owner first.</summary>
    bool IsOvertaken { get; }

    /// <summary>Returns the same change, marked as overtaken.</summary>
    T Overtaken();
}
