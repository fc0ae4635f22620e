/**
 * Puts the focus on the button of a neighbour of a list item that is about to go, or on the heading of the screen: who
 * goes through a list by keyboard stays in it.
 */
export function leaveItem(item: Element | null): void {
  const neighbour = item?.nextElementSibling ?? item?.previousElementSibling
  const target = neighbour?.querySelector('button') ?? document.querySelector<HTMLElement>('main h1')
  target?.focus()
}
