using System.Text.Json;

namespace Optiks.UpdateService.Receipts;

/// <summary>Holds the two notes of a receipt in an answer, encoded as JSON strings.</summary>
/// <param name="Note">The note with the receipt.</param>
/// <param name="Keys">The note that authorizes the key that signed the receipt.</param>
internal sealed record GivenReceipt(JsonEncodedText Note, JsonEncodedText Keys);
