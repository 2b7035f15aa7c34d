using System.Text.Json;

namespace Optiks.UpdateService.Receipts;

/// <summary>GivenReceipt is what an answer holds of a receipt: both notes, as JSON strings have them.</summary>
/// <param name="Note">The receipt.</param>
/// <param name="Keys">The note that vouches for its key.</param>
internal sealed record GivenReceipt(JsonEncodedText Note, JsonEncodedText Keys);
