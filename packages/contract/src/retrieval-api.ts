/** The certificate retrieval interface on the wire: GET /api/certificate and GET /api/download. */
import Type from 'typebox';

/** Exactly these four fields, in this order on the wire. */
export const CertificateInfo = Type.Object(
  {
    domains: Type.Array(Type.String(), { description: 'The domains of the certificate, IP addresses included.' }),
    certificate: Type.String({ description: 'PEM: the full chain, leaf first, without the root.' }),
    private_key: Type.String({ description: 'PEM: the private key of the leaf.' }),
    expires_at: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
      description: 'When the leaf expires, YYYY-MM-DD HH:MM:SS in the time zone of the instance (UTC by default).',
    }),
  },
  { $id: 'CertificateInfo', additionalProperties: false },
);
export type CertificateInfo = Type.Static<typeof CertificateInfo>;

export const RetrievalSuccess = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object({ certificate_info: CertificateInfo }, { additionalProperties: false }),
  },
  { $id: 'RetrievalSuccess', additionalProperties: false },
);
export type RetrievalSuccess = Type.Static<typeof RetrievalSuccess>;

export const RetrievalError = Type.Object(
  {
    status: Type.Literal('error'),
    message: Type.String({ description: 'The text of the error table. The header Error-Code carries a stable code.' }),
    timestamp: Type.Integer({ description: 'When the error happened, Unix time in whole seconds.' }),
  },
  { $id: 'RetrievalError', additionalProperties: false },
);
export type RetrievalError = Type.Static<typeof RetrievalError>;

/** The values of the parameter `type` of /api/download; `certificate` when it is omitted. */
export const DownloadType = Type.Union([Type.Literal('certificate'), Type.Literal('key')], { $id: 'DownloadType' });
export type DownloadType = Type.Static<typeof DownloadType>;
