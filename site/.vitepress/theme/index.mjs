/** The default theme, with the playground on its page. */
import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue';
import './style.css';

/** Loads the playground's script where a reader opens the page. */
const Playground = defineComponent(() => {
  const place = ref(null);
  let unmount = () => {};
  onMounted(async () => {
    const { mount } = await import(/* @vite-ignore */ withBase('/playground/main.js'));
    if (place.value !== null) unmount = mount(place.value);
  });
  onBeforeUnmount(() => unmount());
  return () => [
    h('link', { rel: 'stylesheet', href: withBase('/playground/playground.css') }),
    h('div', { ref: place }),
  ];
});

const Layout = defineComponent(() => {
  const { frontmatter } = useData();
  return () =>
    h(DefaultTheme.Layout, null, { 'page-bottom': () => (frontmatter.value.playground ? h(Playground) : null) });
});

export default { extends: DefaultTheme, Layout };
