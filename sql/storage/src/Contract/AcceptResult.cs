namespace Optiks.Storage;

/// <summary>The result of accepting one unit.</summary>
/// <param name="Status">The verdict on the unit.</param>
/// <param name="Request">The index of the refused request in the unit; 0 when no request was refused.</param>
/// <param name="Item">The index of the refused item in that request; 0 when no item was refused.</param>
public readonly record struct AcceptResult(AcceptStatus Status, int Request = 0, int Item = 0);
