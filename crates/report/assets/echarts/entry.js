// What Nightfold's pages draw with, and no more.
export { init } from "echarts/core";
import { use } from "echarts/core";
import { BarChart, CustomChart, SankeyChart, ScatterChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";
use([BarChart, CustomChart, SankeyChart, ScatterChart, GridComponent, LabelLayout, CanvasRenderer]);
