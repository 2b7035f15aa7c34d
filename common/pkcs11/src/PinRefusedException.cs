namespace Optiks.Pkcs11;

/// <summary>Says that the token refused a login because of the PIN.</summary>
internal sealed class PinRefusedException(string code, Exception innerException) : Exception(code, innerException)
{
    /// <summary>The token's error code.</summary>
    public string Code => Message;
}
