const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether what a file calls an id can be one here: a UUIDv7 in lower case. */
export function isId(text: string | null | undefined): text is string {
  return text != null && ID.test(text)
}
