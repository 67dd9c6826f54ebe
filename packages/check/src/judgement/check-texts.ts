import { pageAddress } from '@contract-first/command-line/reports';
import type { CheckName } from './checks.ts';

/** The description of a check, for `--help` and its page. */
export type CheckText = {
  /** The condition under which the check fails. */
  readonly meaning: string;
  /** The consequence for clients. */
  readonly why: string;
  /** A request with a response that fails. */
  readonly example: string;
  readonly fix: string;
};

/** The description of every check. */
export const CHECK_TEXTS: Readonly<Record<CheckName, CheckText>> = {
  not_a_server_error: {
    meaning: 'the response is a 5xx, is cut off, has bytes after its end, or is missing',
    why: 'A 5xx is a bug of the service, even after an invalid request. Clients cannot fix it, and many repeat the request.',
    example: 'POST /pets  {"id": 1, "name": "\\u0000"}\n< 500 {"error": "invalid byte sequence"}',
    fix: 'Read the log of the service for this request. Reject data that the service cannot process with a documented 4xx, and restrict the schema.',
  },
  ignored_auth: {
    meaning: 'missing or wrong credentials do not get 401 with a challenge, or 403 if only that is documented',
    why: 'Data is open to everybody, although the document says that it is protected. Without the header WWW-Authenticate, clients do not learn which credentials they need.',
    example: 'GET /orders  (without Authorization)\n< 200 [{"id": 1}]',
    fix: 'Check the credentials before anything else. If the operation is public, write `security: []` for it.',
  },
  unsupported_method: {
    meaning: 'an undocumented method does not get 405 with the right Allow',
    why: 'Clients, proxies and browsers read Allow to learn which methods a path has. A 2xx means that the service does something that is not documented.',
    example: 'DELETE /pets  (the document has GET and POST)\n< 404',
    fix: 'Respond 405 with `Allow: GET, POST`. Most frameworks have a setting or a middleware for it.',
  },
  missing_required_header: {
    meaning: 'a request without a required header does not get a 4xx',
    why: 'The document requires the header, but the service does not read it. Clients that forget it get wrong results without an error.',
    example: 'POST /payments  (without the required Idempotency-Key)\n< 201',
    fix: 'Reject the request with 400, or make the header optional in the document.',
  },
  negative_data_rejection: {
    meaning: 'invalid data does not get a 4xx (401, 403 and 405 do not count)',
    why: 'The service accepts data that its document forbids. It stores invalid data, or drops a part of the data without an error.',
    example: 'POST /pets  {"id": 1, "name": 7}  (name is a string)\n< 201 {"id": 1, "name": 7}',
    fix: 'Validate requests against the document, or describe in the document what the service really accepts.',
  },
  positive_data_acceptance: {
    meaning: 'valid data gets neither a documented 2xx nor a documented status such as 404 or 409',
    why: 'Clients that follow the document are refused. Often, the service has a rule that its document does not have.',
    example: 'POST /pets  {"id": 1, "name": "a"}\n< 400 {"message": "name must have 3 characters"}',
    fix: 'Write the rule into the schema, such as `minLength: 3`. For a rule that a schema cannot express, see `--value`, `--expect` and `--hooks`.',
  },
  head_conformance: {
    meaning: 'HEAD gets neither the status and media type of GET, nor 405',
    why: 'Caches, link checkers and download tools send HEAD to learn what GET would send.',
    example: 'GET /pets\n< 200 application/json\nHEAD /pets\n< 404',
    fix: 'Serve HEAD like GET, without the body. Most frameworks do so by default.',
  },
  status_code_conformance: {
    meaning: 'the status is not documented, unless it rejects an invalid request, or not 201 where a PUT creates',
    why: 'Generated clients throw for a status that they do not know.',
    example: 'DELETE /pets/1\n< 200  (the document has only 204)',
    fix: 'Send the documented status, or document this one.',
  },
  documented_rejection: {
    meaning: 'an invalid request gets an undocumented status',
    why: 'Generated clients have no type for the response, so they cannot show what was wrong. Only `--checks strict` requires it.',
    example: 'POST /pets  {"id": "x"}\n< 422  (the document has 400)',
    fix: "Document the statuses of rejected requests, or a response `default` or '4XX'.",
  },
  content_type_conformance: {
    meaning: 'the media type is not documented',
    why: 'Clients parse a body by its media type. An HTML page in place of JSON ends in a parser error.',
    example: 'GET /pets/99\n< 404 text/html <h1>Not found</h1>  (the document has application/json)',
    fix: 'Send the documented media type, also from error handlers and proxies.',
  },
  response_headers_conformance: {
    meaning: 'a required header is missing, or a header does not match its schema',
    why: 'Clients rely on documented headers, for example to find a new resource or the next page.',
    example: 'POST /pets\n< 201  (without the required Location)',
    fix: 'Send the header, or make it optional in the document.',
  },
  max_response_size: {
    meaning: 'a response has more bytes than --max-response-size',
    why: 'A response without a limit grows with the data, until clients run out of memory or time.',
    example: 'GET /pets\n< 200 (20,000,000 bytes)',
    fix: 'Divide lists into pages, or raise `--max-response-size`.',
  },
  max_response_time: {
    meaning: 'a response takes longer than --max-response-time',
    why: 'Clients give up after their own time limit, and repeat the request.',
    example: 'GET /pets?search=a\n< 200 (after 4,200 ms)',
    fix: 'Find the slow query or call, or raise `--max-response-time`.',
  },
  response_schema_conformance: {
    meaning: 'the body does not match its schema, repeats a member, or has a rounded integer',
    why: 'Typed clients read members that are missing or have another type, and fail far from the cause.',
    example: 'GET /pets/1\n< 200 {"id": "1", "name": null}  (id is an integer, name a string)',
    fix: 'Send what the document says, or change the schema, for example to `type: [string, "null"]`.',
  },
  ensure_resource_availability: {
    meaning: 'a created resource cannot be read, shares its id, or is lost when another resource is created or deleted',
    why: 'The service has confirmed data that it does not have.',
    example: 'POST /pets\n< 201 {"id": 7}\nGET /pets/7\n< 404',
    fix: 'Respond after the resource is stored. Look for caches and replicas that lag behind.',
  },
  read_your_writes: {
    meaning: 'a created resource does not have the values that were sent',
    why: 'The service loses or changes data, such as the fraction of a number, white space, or the time zone of a date.',
    example: 'POST /pets  {"name": " Rex"}\n< 201 {"id": 7}\nGET /pets/7\n< 200 {"id": 7, "name": "Rex"}',
    fix: 'Store values unchanged, or mark members that the service sets as `readOnly`.',
  },
  list_contains_created: {
    meaning: 'the list, with all its pages, lacks a created resource, or a page has more items than its limit',
    why: 'Clients that read all pages miss resources, or read some of them twice.',
    example: 'POST /pets\n< 201 {"id": 7}\nGET /pets\n< 200 [{"id": 1}, {"id": 2}]',
    fix: 'Order pages by a unique key. If the list filters by default, document the filter.',
  },
  update_is_visible: {
    meaning: 'a successful PUT or merge patch has no effect, or PUT keeps members that were left out',
    why: 'Clients show the old state after a change that was confirmed. A PUT replaces the whole resource (RFC 9110).',
    example: 'PUT /pets/7  {"name": "Max"}\n< 200\nGET /pets/7\n< 200 {"name": "Rex"}',
    fix: 'Write every member that the request has, and remove the others on PUT.',
  },
  put_is_idempotent: {
    meaning: 'a repeated PUT is refused, or changes the resource',
    why: 'Clients and proxies repeat a PUT whose response was lost, since RFC 9110 says that they may.',
    example: 'PUT /pets/7  {"name": "Max"}\n< 200\nPUT /pets/7  {"name": "Max"}\n< 409',
    fix: 'Set the state of the resource, and do not add to it. Ignore a repeated request.',
  },
  conditional_requests: {
    meaning: 'If-Match or If-None-Match has another effect than RFC 9110 requires',
    why: 'If-Match protects against lost updates. A service that ignores it overwrites the change of another client.',
    example: 'PUT /pets/7  If-Match: "an older state"\n< 200',
    fix: 'Respond 412 if the current ETag does not match, and 304 to a GET whose If-None-Match does.',
  },
  idempotency_key: {
    meaning: 'two requests with the same Idempotency-Key create two resources',
    why: 'Clients send the key to repeat a request safely. Here, they pay or order twice.',
    example: 'POST /orders  Idempotency-Key: a\n< 201 {"id": 1}\nPOST /orders  Idempotency-Key: a\n< 201 {"id": 2}',
    fix: 'Store the key with the resource in one transaction, and send the first response again.',
  },
  use_after_free: {
    meaning: 'a deleted resource can be read, listed or replaced',
    why: 'Users see data that they have deleted.',
    example: 'DELETE /pets/7\n< 204\nGET /pets/7\n< 200 {"id": 7}',
    fix: 'Respond 404 or 410 after the deletion, in lists and updates, too. Remove the resource from caches.',
  },
  delete_is_idempotent: {
    meaning: 'a second DELETE gets a 5xx, or restores the resource',
    why: 'Clients repeat a DELETE whose response was lost.',
    example: 'DELETE /pets/7\n< 204\nDELETE /pets/7\n< 500',
    fix: 'Respond 404, 410 or 204 if there is nothing to delete.',
  },
  read_only_members: {
    meaning: 'a read-only member gets the value that a client sends',
    why: 'Clients can set what only the service may set, such as an owner or a role.',
    example: 'POST /users  {"name": "a", "role": "admin"}  (role is readOnly)\n< 201 {"id": 7, "role": "admin"}',
    fix: 'Copy the members that clients may set, one by one. Reject or ignore the others.',
  },
  object_level_authorization: {
    meaning: 'a second user can read, list, change or delete a resource of the first one',
    why: 'Users get the data of others. It is the first of the OWASP API security risks.',
    example: 'POST /orders  (first user)\n< 201 {"id": 7}\nGET /orders/7  (second user)\n< 200 {"id": 7}',
    fix: 'Select resources by id and owner. If an operation is meant for all users, name it with `--shared`.',
  },
  list_filters: {
    meaning: 'a list has an item that its filter or its path excludes, or lacks one that the filter matches',
    why: 'Clients show items that they did not request, or miss items that they requested. With an ignored filter, the list looks complete.',
    example: 'GET /articles?tag=news\n< 200 [{"title": "A", "tags": ["sports"]}]',
    fix: 'Apply every documented query parameter, and the parents in the path, to the query of the list. If the parameter is no filter, give it a name that no member of the items has.',
  },
  action_effects: {
    meaning:
      'an action has no effect or counts twice, the action of a second user does not count, or DELETE does not undo it',
    why: 'Clients repeat a request whose response was lost. A counter that grows each time, or a flag that stays, is wrong for every reader.',
    example:
      'POST /articles/1/favorite\n< 200 {"favorited": true, "favoritesCount": 1}\nPOST /articles/1/favorite\n< 200 {"favorited": true, "favoritesCount": 2}',
    fix: 'Store one row for each user and action, and count the rows.',
  },
  own_check: {
    meaning: 'the hook afterResponse returns a reason',
    why: 'The hook states a rule of your service that its document cannot express.',
    example: 'GET /pets\n< 200  (the hook requires Cache-Control)',
    fix: 'Fix the service, or change the hook: see [Checking a service](../tools/check.md).',
  },
};

/** Returns the address of the page of a check. */
export function checkPage(check: CheckName): string {
  return pageAddress(`checks/${check}`);
}
