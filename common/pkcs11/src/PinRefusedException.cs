namespace Optiks.Pkcs11;

/// <summary>PinRefusedException: a login failed because of its PIN.</summary>
internal sealed class PinRefusedException(string code, Exception innerException) : Exception(code, innerException)
{
    /// <summary>Code of the token.</summary>
    public string Code => Message;
}
