using System.Text.Encodings.Web;

namespace Optiks.Protocol;

/// <summary>AnswerJson renders answers for people and scripts (docs/spec/rest.md section 4). Nothing is ever verified in this form.</summary>
public static partial class AnswerJson
{
    /// <summary>Encoder writes text as it is, as no answer is embedded in HTML.</summary>
    public static JavaScriptEncoder Encoder { get; } = JavaScriptEncoder.UnsafeRelaxedJsonEscaping;
}
