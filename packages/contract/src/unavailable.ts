/** Something that a handler needs is unavailable for now: the request ends with a 503. */
export class Unavailable extends Error {}
