namespace Optiks.Storage;

/// <summary>Says what became of a unit.</summary>
/// <param name="Status">The verdict on the unit.</param>
/// <param name="Request">Index of the request that a refusal is about; 0 otherwise.</param>
/// <param name="Item">Index of its item that a refusal is about; 0 otherwise.</param>
public readonly record struct AcceptResult(AcceptStatus Status, int Request = 0, int Item = 0);
