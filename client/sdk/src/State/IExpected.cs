namespace Optiks.Client;

/// <summary>IExpected is something that an owner set and has not seen yet (docs/spec/state.md section 3.1).</summary>
internal interface IExpected<T>
{
    /// <summary>IsOvertaken: something that the owner set later was seen first.</summary>
    bool IsOvertaken { get; }

    /// <summary>Overtaken gives the same, overtaken.</summary>
    T Overtaken();
}
