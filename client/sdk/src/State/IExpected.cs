namespace Optiks.Client;

/// <summary>A change that an owner made and has not seen yet (docs/spec/state.md section 3.1).</summary>
internal interface IExpected<T>
{
    /// <summary>Whether a change that the owner made later was seen first.</summary>
    bool IsOvertaken { get; }

    /// <summary>Returns the same change, marked as overtaken.</summary>
    T Overtaken();
}
