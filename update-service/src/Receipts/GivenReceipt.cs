using System.Text.Json;

namespace Optiks.UpdateService.Receipts;

/// <summary>Holds a receipt for an answer: both notes, encoded for JSON strings.</summary>
/// <param name="Note">The receipt's note.</param>
/// <param name="Keys">The note that authorizes the key that signed the receipt.</param>
internal sealed record GivenReceipt(JsonEncodedText Note, JsonEncodedText Keys);
