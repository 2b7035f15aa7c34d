namespace Optiks.Pkcs11;

/// <summary>Says that a login failed because of its PIN.</summary>
internal sealed class PinRefusedException(string code, Exception innerException) : Exception(code, innerException)
{
    /// <summary>The token's error code.</summary>
    public string Code => Message;
}
