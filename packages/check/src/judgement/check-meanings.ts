import type { CheckName } from './checks.ts';

/** When each check fails, for `--help`. */
export const CHECK_MEANINGS: Readonly<Record<CheckName, string>> = {
  not_a_server_error: 'the response is a 5xx, is cut off, has bytes after its end, or is missing',
  ignored_auth: 'missing or wrong credentials do not get 401 with a challenge',
  unsupported_method: 'an undocumented method does not get 405 with the right Allow',
  missing_required_header: 'a request without a required header does not get a 4xx',
  negative_data_rejection: 'invalid data does not get a 4xx (401, 403 and 405 do not count)',
  positive_data_acceptance: 'valid data gets neither a documented 2xx nor a documented status such as 404 or 409',
  head_conformance: 'HEAD gets neither the status and media type of GET, nor 405',
  status_code_conformance:
    'the status is not documented, unless it rejects an invalid request, or not 201 where a PUT creates',
  documented_rejection: 'an invalid request gets an undocumented status',
  content_type_conformance: 'the media type is not documented',
  response_headers_conformance: 'a required header is missing, or a header does not match its schema',
  max_response_size: 'a response has more bytes than --max-response-size',
  max_response_time: 'a response takes longer than --max-response-time',
  response_schema_conformance: 'the body does not match its schema, repeats a member, or has a rounded integer',
  ensure_resource_availability: 'a created resource cannot be read, or is lost when another one is created or deleted',
  read_your_writes: 'a created resource does not have the values that were sent',
  list_contains_created:
    'the list, with all its pages, lacks a created resource, or a page has more items than its limit',
  update_is_visible: 'a successful PUT or merge patch has no effect, or PUT keeps members that were left out',
  put_is_idempotent: 'a repeated PUT is refused, or changes the resource',
  conditional_requests: 'If-Match or If-None-Match does not do what RFC 9110 says',
  idempotency_key: 'two requests with the same Idempotency-Key create two resources',
  use_after_free: 'a deleted resource can be read, listed or replaced',
  delete_is_idempotent: 'a second DELETE gets a 5xx, or restores the resource',
  read_only_members: 'a read-only member gets the value that a client sends',
  object_level_authorization: 'a second user can read, list, change or delete a resource of the first one',
  own_check: 'the hook afterResponse returns a reason',
};
