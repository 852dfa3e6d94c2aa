/** The script of the playground's page: shows the playground in an element. */
import { render } from 'preact';
import { Playground } from './page.tsx';

/** Shows the playground in an element. @returns removes it. */
export function mount(element: HTMLElement): () => void {
  render(<Playground />, element);
  return () => render(null, element);
}
