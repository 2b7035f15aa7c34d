using System.Text.Json;

namespace Optiks.UpdateService.Receipts;

/// <summary>Holds a receipt for an answer: both notes, encoded for JSON strings.</summary>
/// <param name="Note">The receipt.</param>
/// <param name="Keys">The note that vouches for its key.</param>
internal sealed record GivenReceipt(JsonEncodedText Note, JsonEncodedText Keys);
