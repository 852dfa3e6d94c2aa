/** The refusals of the inspector's server: a closed code, and a sentence with the fix. */
import { CodedError } from '../model/coded-error.ts';

/** Every refusal, and the status of HTTP that it is answered with. */
export const REFUSALS = {
  bad_request: 400,
  no_token: 401,
  wrong_host: 403,
  wrong_origin: 403,
  read_only: 403,
  not_found: 404,
  wrong_method: 405,
  not_offered: 409,
  length_required: 411,
  too_large: 413,
  url_too_long: 414,
  wrong_type: 415,
  too_many_streams: 429,
  journal_refused: 500,
  failed: 500,
} as const;

/** The code of a refusal. */
export type InspectorErrorCode = keyof typeof REFUSALS;

/** A request that is not served. */
export class InspectorError extends CodedError<InspectorErrorCode> {
  override readonly name = 'InspectorError';
}
