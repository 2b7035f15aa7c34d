namespace Optiks.Storage;

/// <summary>The result of accepting one unit.</summary>
/// <param name="Status">The verdict on the unit.</param>
/// <param name="Request">Index of the refused request; 0 otherwise.</param>
/// <param name="Item">Index of the refused item in that request; 0 otherwise.</param>
public readonly record struct AcceptResult(AcceptStatus Status, int Request = 0, int Item = 0);
